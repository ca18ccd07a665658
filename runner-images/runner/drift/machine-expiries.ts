/** What a check for drift says of the certificates that machines reported. Pure. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import {
  type Expiry,
  endText,
  expiryPlace,
  faultAt,
  firstToEnd,
  isUrgent,
  keptExpiries,
  renewalOf,
  warnsAt,
} from '#domain/expiry.ts';
import { counted } from '#domain/words.ts';
import { type CertificateReport, dueOf, expiriesOf } from '../machines/machine-certificates.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';

/** One item for each control node with certificates that are due, for each kubelet that does not renew its own, and for each authority. */
export function machineExpiries(
  target: ClusterState,
  reports: ReadonlyMap<string, CertificateReport>,
  now: Date,
): Required<Pick<Findings, 'items' | 'unchecked' | 'notes' | 'expiries'>> {
  const machines = allNodes(target).flatMap(({ node: { name } }) => {
    const report = reports.get(name);
    return report === undefined ? [] : [{ name, report, ...expiriesOf(name, report) }];
  });
  const all = machines.flatMap(({ expiries }) => expiries);
  // All control nodes have the same ones.
  const authorities = [...Map.groupBy(all.filter(isAuthority), ({ what }) => what).values()].flatMap(
    (same) => firstToEnd(same) ?? [],
  );
  return {
    items: [
      ...machines.flatMap(({ name, report, expiries }) => dueItem(target, name, { ...report, expiries }, now)),
      ...all.flatMap((expiry) => kubeletItem(target, expiry, now)),
      ...authorities.flatMap((expiry) => authorityItem(expiry, now)),
    ],
    notes: authorities.flatMap((expiry) => authorityNote(expiry, now)),
    unchecked: machines.flatMap(({ name, unread }) =>
      unread.length === 0 ? [] : [sentence(`${name}: no certificate can be read in ${unread.join(', ')}`)],
    ),
    expiries: keptExpiries(all),
  };
}

const isAuthority = (expiry: Expiry): boolean => renewalOf(expiry) === 'authority';

function dueItem(
  target: ClusterState,
  name: string,
  { expiries, renewing }: CertificateReport & { readonly expiries: readonly Expiry[] },
  now: Date,
): readonly DriftItem[] {
  const due = dueOf(expiries, target.id, now);
  const first = firstToEnd(due);
  const about = { kind: 'expiry' as const, where: findingPlace(target, name), repairable: true };
  if (first !== undefined) {
    const those = `${counted(due.length, 'certificate')} of ${name} ${due.length === 1 ? 'is' : 'are'} due for renewal`;
    const message = sentence(`${those}: ${first.what} ends on ${endText(first, now)}`);
    const where = { ...about.where, id: first.until };
    return [{ ...about, where, message, ...(isUrgent(first, now) && { urgent: true as const }) }];
  }
  if (renewing !== true) return [];
  return [
    {
      ...about,
      message: `a renewal of the certificates of ${name} was interrupted before all that use them were restarted`,
    },
  ];
}

function kubeletItem(target: ClusterState, expiry: Expiry, now: Date): readonly DriftItem[] {
  if (renewalOf(expiry) !== 'rotated' || warnsAt(expiry) > now.toISOString() || expiry.node === undefined) return [];
  const message = sentence(
    `the kubelet of ${expiry.node} does not renew its certificate: ${expiry.what} ends on ${endText(expiry, now)}; its log says why (journalctl -u kubelet), and \`kubeloom replace\` gives the node a new one`,
  );
  return [{ kind: 'expiry', where: findingPlace(target, expiry.node), message, repairable: false }];
}

function authorityItem(expiry: Expiry, now: Date): readonly DriftItem[] {
  if (faultAt(expiry) > now.toISOString()) return [];
  return [{ kind: 'expiry', where: { name: expiry.what }, message: authorityText(expiry, now), repairable: false }];
}

/** Years before, it is only said. */
function authorityNote(expiry: Expiry, now: Date): readonly string[] {
  const at = now.toISOString();
  return warnsAt(expiry) <= at && faultAt(expiry) > at ? [authorityText(expiry, now)] : [];
}

function authorityText(expiry: Expiry, now: Date): string {
  return sentence(
    `the certificate authority ${expiryPlace({ what: expiry.what })} ends on ${endText(expiry, now)}, and no one can renew it in place: create a new cluster and move to it before, or replace the authority by hand (docs/drift.md)`,
  );
}
