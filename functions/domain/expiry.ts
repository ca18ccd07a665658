/** What of a cluster ends: its certificates, when they are renewed, and from when on a person is warned. Pure. */
import { z } from 'zod';
import { earliest, shareOf } from './due-times.ts';

/** Files of kubeadm on a control node that `kubeadm certs renew all` renews. */
const renewed = [
  '/etc/kubernetes/pki/apiserver.crt',
  '/etc/kubernetes/pki/apiserver-kubelet-client.crt',
  '/etc/kubernetes/pki/apiserver-etcd-client.crt',
  '/etc/kubernetes/pki/front-proxy-client.crt',
  '/etc/kubernetes/pki/etcd/server.crt',
  '/etc/kubernetes/pki/etcd/peer.crt',
  '/etc/kubernetes/pki/etcd/healthcheck-client.crt',
  '/etc/kubernetes/admin.conf',
  '/etc/kubernetes/super-admin.conf',
  '/etc/kubernetes/controller-manager.conf',
  '/etc/kubernetes/scheduler.conf',
] as const;
/** No one renews them: everything in the cluster trusts them. */
const authorities = [
  '/etc/kubernetes/pki/ca.crt',
  '/etc/kubernetes/pki/etcd/ca.crt',
  '/etc/kubernetes/pki/front-proxy-ca.crt',
] as const;
/** A kubelet renews its own, after 70 to 90 % of their time. */
const rotated = [
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
  '/var/lib/kubelet/pki/kubelet-server-current.pem',
] as const;

/** Files with certificates, by what Kubernetes runs on the machine. */
export const certificateFiles = {
  control: [...renewed, ...authorities, ...rotated],
  compute: rotated,
} as const;

const text = z.string();

/** One certificate of a cluster, and its time, ISO 8601. */
export const Expiry = z.strictObject({
  /** One of `certificateFiles`; `kubeconfig`: the one that Kubeloom keeps. */
  what: text,
  /** Absent: not on a node. */
  node: text.optional(),
  from: text,
  until: text,
});
export type Expiry = z.infer<typeof Expiry>;

export const Expiries = z.array(Expiry).optional();

const dayMs = 86_400_000;

/** Before its end, at most; a third of its time where that is less. */
const limitDays = { renewed: 90, authority: 3 * 365 };

type Renewal = 'renewed' | 'rotated' | 'authority';

/** By whom it is renewed: Kubeloom, its kubelet, no one. */
export function renewalOf({ what }: Pick<Expiry, 'what'>): Renewal {
  const isOf = (files: readonly string[]) => files.includes(what);
  return isOf(authorities) ? 'authority' : isOf(rotated) ? 'rotated' : 'renewed';
}

/** How long before its end, in ms, it is too late: it should have been renewed, or a person has to plan what replaces it. */
function limitOf(expiry: Expiry): number {
  const life = Math.max(0, Date.parse(expiry.until) - Date.parse(expiry.from));
  const renewal = renewalOf(expiry);
  return renewal === 'rotated' ? life / 20 : Math.min(life / 3, limitDays[renewal] * dayMs);
}

/** ISO 8601: from when on its end is a warning. */
export const warnsAt = (expiry: Expiry): string => before(expiry, limitOf(expiry));

/** ISO 8601: from when on it is a fault: an authority in its last year, as moving to a new cluster takes time, but not three years. */
export function faultAt(expiry: Expiry): string {
  const [early, late] = [warnsAt(expiry), before(expiry, 365 * dayMs)];
  return renewalOf(expiry) === 'authority' && late > early ? late : early;
}

/**
 * ISO 8601: when it is renewed, up to a third of the limit before the warning. `seed`: that of its cluster, so that clusters that were made
 * in the same hour are not all renewed in one.
 */
export function renewedAt(expiry: Expiry, seed: string): string {
  const early = renewalOf(expiry) === 'renewed' ? shareOf(seed) / 3 : 0;
  return before(expiry, limitOf(expiry) * (1 + early));
}

/** It ends so soon that nothing else comes first: within a third of the limit, or it has ended. */
export const isUrgent = (expiry: Expiry, now: Date): boolean =>
  before(expiry, limitOf(expiry) / 3) <= now.toISOString();

function before({ until }: Expiry, ms: number): string {
  return new Date(Date.parse(until) - ms).toISOString();
}

/** The one that ends first; undefined for an empty list. */
export function firstToEnd(expiries: readonly Expiry[]): Expiry | undefined {
  return expiries.toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until))[0];
}

/** What a cluster keeps of all that were found: the first to end of those that Kubeloom renews, and of the authorities. */
export function keptExpiries(found: readonly Expiry[]): readonly Expiry[] {
  return (['renewed', 'authority'] as const).flatMap((renewal) => {
    return firstToEnd(found.filter((expiry) => renewalOf(expiry) === renewal)) ?? [];
  });
}

/** Where ends of a cluster are recorded. */
interface Recorded {
  readonly drift?: { readonly checkedAt: string; readonly expiries?: readonly Expiry[] | undefined } | undefined;
  readonly facts: { readonly kubeconfigExpiries?: readonly Expiry[] | undefined };
}

/**
 * What is known without asking anyone, as `keptExpiries`. A kubeconfig that is newer than the last check comes from a change that renewed
 * the others, too.
 */
export function knownExpiries({ drift, facts: { kubeconfigExpiries: kept = [] } }: Recorded): readonly Expiry[] {
  const renewedSince = kept.some(({ what, from }) => what === 'kubeconfig' && from > (drift?.checkedAt ?? ''));
  const checked = (drift?.expiries ?? []).filter(
    (expiry) =>
      renewalOf(expiry) === 'authority' || (!renewedSince && (expiry.what !== 'kubeconfig' || kept.length === 0)),
  );
  return keptExpiries([...kept, ...checked]);
}

/** One sentence for each that should not end so soon; no check, or none that helped, has renewed it. */
export function expiryWarnings(known: readonly Expiry[], now: Date): readonly string[] {
  return known
    .filter((expiry) => faultAt(expiry) <= now.toISOString())
    .map((expiry) =>
      renewalOf(expiry) === 'authority'
        ? `the certificate authority of the cluster ends on ${endText(expiry, now)}: create a new cluster and move to it before (docs/drift.md)`
        : `certificates of the cluster end on ${endText(expiry, now)}, ${expiryPlace(expiry)} first: \`kubeloom drift NAME --repair\` renews them, of a paused manifest after \`kubeloom resume NAME\``,
    );
}

/** ISO 8601: when the first of them becomes a warning. */
export const nextWarningAt = (known: readonly Expiry[]): string | undefined => earliest(known.map(faultAt));

/** `2027-03-01`, and in how many days that is. */
export function endText({ until }: Pick<Expiry, 'until'>, now: Date): string {
  const days = Math.floor((Date.parse(until) - now.getTime()) / dayMs);
  const when = days < 0 ? 'it has ended' : days === 0 ? 'within a day' : `in ${days} ${days === 1 ? 'day' : 'days'}`;
  return `${until.slice(0, 10)} (${when})`;
}

/** `/etc/kubernetes/admin.conf of control-1`, `the kubeconfig that Kubeloom keeps` */
export function expiryPlace({ what, node }: Pick<Expiry, 'what' | 'node'>): string {
  if (what === 'kubeconfig') return 'the kubeconfig that Kubeloom keeps';
  return node === undefined ? what : `${what} of ${node}`;
}
