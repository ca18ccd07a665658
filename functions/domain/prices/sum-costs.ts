/** What the machines of clusters cost a month, as they are and as they will be. */
import {
  allNodes,
  type ClusterState,
  type NodePoolState,
  type NodeState,
  serverTypeOf,
} from '#domain/cluster-state.ts';
import type { CostOfMonth, MachineCost, SumOfCosts } from './cost-of-month.ts';
import { cents, type PriceList, priceLists, priceOfMachine } from './machine-prices.ts';
import type { Money } from './money.ts';

/** A cluster as it is and as it will be; null: it does not exist. */
export interface ClusterCosts {
  readonly cluster: string;
  readonly before: ClusterState | null;
  readonly after: ClusterState | null;
}

/** Undefined where nothing has a price: no machines at all, or only static nodes and local hosts. `orphans`: nodes that keep running. */
export function costOfMonth(
  clusters: readonly ClusterCosts[],
  {
    orphans = [],
    lists = priceLists,
  }: { readonly orphans?: readonly string[]; readonly lists?: typeof priceLists } = {},
): CostOfMonth | undefined {
  const used = new Map<string, PriceList>();
  const rows = new Map<string, MachineCost>();
  const kept = new Set(orphans);
  const count = (cluster: string, pool: NodePoolState, node: NodeState, part: { before: number; after: number }) => {
    if (pool.source.kind === 'static') return;
    const source = { ...pool.source, serverType: serverTypeOf(node, pool) };
    const price = priceOfMachine(source, lists);
    if (price === 'free') return;
    if (price !== 'unknown') used.set(`${price.list.provider} ${price.list.date} ${price.list.source}`, price.list);
    const { region, serverType, spot } = source;
    const key = JSON.stringify([cluster, pool.name, pool.role, source.provider.name, region, serverType, spot]);
    const known = rows.get(key);
    rows.set(key, {
      cluster,
      pool: pool.name,
      provider: source.provider.name,
      region,
      serverType,
      spot,
      before: (known?.before ?? 0) + part.before,
      after: (known?.after ?? 0) + part.after,
      each: price === 'unknown' ? null : { currency: price.currency, amount: price.amount },
    });
  };
  for (const { cluster, before, after } of clusters) {
    const remain = new Set(after === null ? [] : allNodes(after).map(({ node }) => node.name));
    for (const { node, pool } of before === null ? [] : allNodes(before)) {
      count(cluster, pool, node, { before: 1, after: Number(kept.has(node.name) && !remain.has(node.name)) });
    }
    for (const { node, pool } of after === null ? [] : allNodes(after)) {
      count(cluster, pool, node, { before: 0, after: 1 });
    }
  }
  const machines = [...rows.values()].filter(({ before, after }) => before + after > 0);
  if (machines.length === 0) return undefined;
  return {
    before: total(machines, ({ before }) => before),
    after: total(machines, ({ after }) => after),
    difference: total(machines, ({ before, after }) => after - before),
    machines,
    lists: [...used.values()].map(({ provider, date, source }) => ({ provider, date, source })),
  };
}

/** The sum of several plans that have no machine in common. `unreadable`: manifests that exist and cannot be read. */
export function sumOfCosts(costs: readonly CostOfMonth[], unreadable = 0): SumOfCosts {
  const count = (when: 'before' | 'after'): number => unreadable + machinesNotKnown(costs, when);
  const lists = new Map(costs.flatMap((cost) => cost.lists.map((list) => [JSON.stringify(list), list])));
  return {
    before: sumOfMoney(costs.flatMap(({ before }) => before)),
    after: sumOfMoney(costs.flatMap(({ after }) => after)),
    difference: sumOfMoney(costs.flatMap(({ difference }) => difference)),
    notKnown: { before: count('before'), after: count('after') },
    lists: [...lists.values()],
  };
}

/** How many machines have no known price. */
export function machinesNotKnown(costs: readonly Pick<CostOfMonth, 'machines'>[], when: 'before' | 'after'): number {
  const machines = costs.flatMap((cost) => cost.machines);
  return machines.reduce((sum, machine) => sum + (machine.each === null ? machine[when] : 0), 0);
}

function total(machines: readonly MachineCost[], countOf: (machine: MachineCost) => number): Money[] {
  return sumOfMoney(
    machines.flatMap((machine) =>
      machine.each === null ? [] : [{ ...machine.each, amount: machine.each.amount * countOf(machine) }],
    ),
  );
}

/** One amount for each currency. */
export function sumOfMoney(amounts: readonly Money[]): Money[] {
  const sums = new Map<string, number>();
  for (const { currency, amount } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ currency, amount: cents(amount) }));
}
