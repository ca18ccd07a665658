/** When the certificates end that a machine reported, and which of them are due. Pure. */
import { certificateTimes } from '#documents/pem.ts';
import { certificateFiles, type Expiry, renewalOf, renewedAt } from '#domain/expiry.ts';
import type { MachineReport } from './machine-report.ts';

export type CertificateReport = Pick<MachineReport, 'certificates' | 'renewing'>;

/** Those of one machine; `unread`: files that hold something else. */
export function expiriesOf(
  node: string,
  { certificates = {} }: CertificateReport,
): { readonly expiries: readonly Expiry[]; readonly unread: readonly string[] } {
  const read = certificateFiles.control.flatMap((what) => {
    const { [what]: text } = certificates;
    // What follows the first leads to its authority.
    return text === undefined ? [] : [{ what, time: certificateTimes(text)?.[0] }];
  });
  return {
    expiries: read.flatMap(({ what, time }) => (time === undefined ? [] : [{ what, node, ...time }])),
    unread: read.flatMap(({ what, time }) => (time === undefined ? [what] : [])),
  };
}

/** Those that are renewed now, if any. */
export function dueOf(expiries: readonly Expiry[], seed: string, now: Date): readonly Expiry[] {
  return expiries.filter((expiry) => renewalOf(expiry) === 'renewed' && renewedAt(expiry, seed) <= now.toISOString());
}
