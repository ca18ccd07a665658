/** What machines and pods cost for the price expander of the cluster-autoscaler. It compares an hour of each; only the proportions count. */
import type { AgentGroup } from '#contracts/agent.ts';

/** A node whose price is not known: the autoscaler would never take a pool without an answer, and takes this one last. */
const unknownPrice = 1_000_000_000;

/**
 * A pod costs a hundredth of its share of the cheapest machine. The expander adds the price of some pod to that of each pool, and multiplies
 * the sum by how far the machine is from a usual size: small prices of pods keep that from outweighing a pool that costs nothing.
 */
const podFactor = 0.01;

export const nodePrice = ({ monthlyPrice = unknownPrice }: Pick<AgentGroup, 'monthlyPrice'>): number => monthlyPrice;

export interface PodOnWire {
  readonly spec?: {
    readonly containers?: readonly {
      readonly resources?: { readonly requests?: Readonly<Record<string, { readonly string?: string }>> } | null;
    }[];
  } | null;
}

/** Never 0 for a pod that requests something: the expander divides by it. */
export function podPrice(groups: readonly AgentGroup[], pod: PodOnWire | null | undefined): number {
  const requests = (pod?.spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  const sum = (resource: string): number =>
    requests.reduce((total, one) => total + amountOf(one[resource]?.string ?? ''), 0);
  const cpu = sum('cpu');
  const memory = sum('memory');
  const shares = groups.flatMap(({ monthlyPrice = 0, template: { capacity } }) => {
    const cpus = amountOf(capacity.cpu ?? '');
    const bytes = amountOf(capacity.memory ?? '');
    return monthlyPrice > 0 && cpus > 0 && bytes > 0 ? [monthlyPrice * Math.max(cpu / cpus, memory / bytes)] : [];
  });
  const share = shares.length > 0 ? Math.min(...shares) : Math.max(cpu, memory / 4e9);
  return share * podFactor;
}

const units: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** `500m`, `16Gi`, `1e3`; 0 for what is not a quantity. */
function amountOf(quantity: string): number {
  const [, number = '', unit = ''] =
    /^(\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,2})?)([numkKMGTPE]?i?)$/.exec(quantity) ?? [];
  return Number(number) * (unit === '' ? 1 : (units[unit] ?? 0));
}
