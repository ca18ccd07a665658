/** When the certificates of a cluster end, for people. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { wrap } from './layout.ts';
import { paint } from './output.ts';

/** When they end, who renews them, and what is too late. */
export function certificateLines({ certificates }: Pick<ClusterDescription, 'certificates'>, width?: number): string[] {
  if (certificates === undefined) return [];
  const { next, renewedFrom, authorityUntil, warnings } = certificates;
  const where = next && (next.node === undefined ? next.what : `${next.what} of ${next.node}`);
  const facts = [
    ...(next ? [`the first ends on ${next.until.slice(0, 10)} (${where})`] : []),
    ...(renewedFrom === undefined ? [] : [`renewed from ${renewedFrom.slice(0, 10)} on`]),
    ...(authorityUntil === undefined ? [] : [`their authority ends on ${authorityUntil.slice(0, 10)}`]),
  ];
  return [
    ...(facts.length > 0 ? wrap(`  ${paint('dim', 'certificates:')} ${facts.join(', ')}`, 4, width) : []),
    ...warnings.flatMap((warning) => wrap(`  ${paint('red', 'certificates:')} ${warning}`, 4, width)),
  ];
}
