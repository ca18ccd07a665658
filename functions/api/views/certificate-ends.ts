/** When what a cluster depends on ends, as it is shown: from its record, without asking anyone. */
import type { CertificateEnds } from '#contracts/cluster-remarks.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { type Expiry, expiryWarnings, knownExpiries, renewalOf, renewedAt } from '#domain/expiry.ts';

/** `renews`: the checks of its manifest renew certificates. */
export function certificateEnds(
  record: ClusterRecord,
  renews: boolean,
  now: Date,
): { readonly certificates?: CertificateEnds } {
  const known = knownExpiries(record);
  const next = known.find((expiry) => renewalOf(expiry) === 'renewed');
  const authority = known.find((expiry) => renewalOf(expiry) === 'authority');
  const warnings = [...expiryWarnings(known, now), ...(isUnknown(record, known) && !renews ? [unknownEnds] : [])];
  if (known.length + warnings.length === 0) return {};
  return {
    certificates: {
      ...(next && { next: shown(next) }),
      ...(next && renews && { renewedFrom: renewedAt(next, record.cluster) }),
      ...(authority && { authorityUntil: authority.until }),
      warnings,
    },
  };
}

/** Sentence for the row of the cluster in a list; nothing where all is well. */
export function endsSoon(record: ClusterRecord, now: Date): { readonly ends?: string } {
  const [first] = expiryWarnings(knownExpiries(record), now);
  return first === undefined ? {} : { ends: first };
}

/** A version that did not note them made it, and no check has visited it since. */
const isUnknown = ({ facts }: ClusterRecord, known: readonly Expiry[]): boolean =>
  known.length === 0 && facts.kubeconfigKey !== undefined && !facts.simulated.includes('control plane');

const unknownEnds =
  'it is not known when the certificates of the cluster end, and its manifest has no checks that would find out: `kubeloom drift NAME` does';

function shown({ what, node, until }: Expiry) {
  return { what, ...(node !== undefined && { node }), until };
}
