/** What a plan comes to, as rows of a summary, and whether a person has to confirm that something is removed. */
import type { PlanReport } from '#contracts/api-bodies.ts';

export interface Total {
  readonly what: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

const titles = { clusters: 'clusters', nodes: 'nodes', loadBalancers: 'load balancers' } as const;

/** Those that change at all. */
export function totalsOf(totals: PlanReport['totals']): readonly Total[] {
  return (['clusters', 'nodes', 'loadBalancers'] as const)
    .map((kind) => ({ what: titles[kind], ...totals[kind] }))
    .filter(({ added, changed, removed }) => added + changed + removed > 0);
}

/** What has to be typed before it is carried out: the name of the cluster from which something is removed; else undefined. */
export function wordToType({ totals, paths, name }: Pick<PlanReport, 'totals' | 'paths' | 'name'>): string | undefined {
  if (totalsOf(totals).every(({ removed }) => removed === 0)) return undefined;
  const touched = paths.filter(({ waypoints }) =>
    waypoints.some(({ direction, lines }) => direction === 'destroy' || lines.some(({ mark }) => mark === '-')),
  );
  return touched.length === 1 ? touched[0]?.cluster : name;
}

interface Amount {
  readonly currency: string;
  readonly amount: number;
}

/** `12.40 EUR + 3.00 USD`; `nothing known` without any. */
export function amountsText(
  amounts: readonly Amount[],
  { signed = false }: { readonly signed?: boolean } = {},
): string {
  if (amounts.length === 0) return 'nothing known';
  return amounts
    .map(({ currency, amount }) => {
      const sign = amount < 0 ? '−' : signed ? '+' : '';
      return `${sign}${Math.abs(amount).toFixed(2)} ${currency}`;
    })
    .join(signed ? ', ' : ' + ');
}
