/** When what a cluster depends on ends: shown with its cluster, and loudly where it ends too soon. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';

export function CertificateLine({ certificates }: Pick<ClusterDescription, 'certificates'>) {
  if (certificates === undefined) return null;
  const { next, renewedFrom, authorityUntil, warnings } = certificates;
  const facts = [
    ...(next ? [`Certificates: the first ends on ${next.until.slice(0, 10)} (${placeOf(next)})`] : []),
    ...(renewedFrom === undefined ? [] : [`renewed from ${renewedFrom.slice(0, 10)} on`]),
    ...(authorityUntil === undefined ? [] : [`their authority ends on ${authorityUntil.slice(0, 10)}`]),
  ];
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="notice warn">
          <span aria-hidden="true">!</span> {warning}
        </p>
      ))}
      {facts.length > 0 && <p className="dim">{facts.join(', ')}</p>}
    </>
  );
}

const placeOf = ({ what, node }: { readonly what: string; readonly node?: string | undefined }): string =>
  node === undefined ? what : `${what} of ${node}`;
