/** What plans come to in numbers, and when they look like a rename. */
import { describe, expect, it } from 'vitest';
import type { ClusterPlan } from '#domain/plan.ts';
import { findRenames } from '#domain/planning/text/find-renames.ts';
import { planTotals, removesAnything, totalsText } from '#domain/planning/text/plan-totals.ts';

const pool = (name: string, nodes: readonly string[]) => ({
  ...{ pool: `${name}-abcdefg`, role: 'compute', provider: 'sim', region: 'r' },
  nodes: [...nodes],
});
const plan = (cluster: string, ...waypoints: Partial<ClusterPlan['waypoints'][number]>[]): ClusterPlan => ({
  cluster,
  waypoints: waypoints.map((one) => ({
    ...{ direction: 'grow', target: null, changes: [], stages: [], undo: [] },
    ...one,
  })),
  refusals: [],
});
const gone = (cluster: string, ...pools: readonly string[]) =>
  plan(cluster, {
    direction: 'destroy',
    changes: [
      { kind: 'ClusterDeleted', cluster },
      ...pools.map((name) => ({ kind: 'NodePoolRemoved' as const, ...pool(name, [`${name}-1`, `${name}-2`]) })),
      { kind: 'LoadBalancerRemoved', loadBalancer: 'lb' },
    ],
  });
const made = (cluster: string, ...pools: readonly string[]) =>
  plan(cluster, {
    target: {
      id: `${cluster}-1`,
      name: cluster,
      pools: pools.map((name) => ({ id: `${name}-abcdefg`, name })),
      loadBalancers: [],
    } as never,
    changes: [
      { kind: 'ClusterCreated', cluster },
      ...pools.map((name) => ({ kind: 'NodePoolAdded' as const, ...pool(name, []) })),
    ],
  });

describe('the totals of plans', () => {
  it('count what is removed, without what is orphaned', () => {
    expect(totalsText(planTotals([gone('web', 'a')]))).toBe(
      '1 cluster removed; 2 nodes removed; 1 load balancer removed',
    );
    expect(planTotals([gone('web', 'a')], ['a-1']).nodes.removed).toBe(1);
  });

  it('say so when nothing is to be done', () => {
    const totals = planTotals([plan('web')]);
    expect([removesAnything(totals), totalsText(totals)]).toEqual([false, expect.stringMatching(/^no cluster, node/)]);
  });

  it('count a cluster that is neither made nor removed as changed', () => {
    const totals = planTotals([plan('web', { direction: 'settle' })]);
    expect([removesAnything(totals), totals.clusters]).toEqual([false, { added: 0, changed: 1, removed: 0 }]);
  });
});

describe('a rename', () => {
  it('is one cluster that goes and another that comes with its pools', () => {
    expect(findRenames([gone('old', 'a', 'b'), made('new', 'a', 'b')])).toEqual([{ from: 'old', to: 'new', nodes: 4 }]);
  });

  it('is none when their pools have little in common', () => {
    expect(findRenames([gone('old', 'a', 'b', 'c'), made('new', 'c', 'd')])).toEqual([]);
    expect(findRenames([made('new', 'a')])).toEqual([]);
  });

  it('pairs each cluster that goes with the one most like it, and none twice', () => {
    const pairs = findRenames([gone('x', 'a'), gone('y', 'b'), made('b2', 'b'), made('a2', 'a')]);
    expect(pairs.map(({ from, to }) => `${from} ${to}`)).toEqual(['x a2', 'y b2']);
  });
});
