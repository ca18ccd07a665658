/** What plans come to in numbers, and when they look like a rename. */
import { describe, expect, it } from 'vitest';
import type { ClusterPlan } from '#domain/plan.ts';
import { findRenames } from '#domain/planning/text/find-renames.ts';
import { planTotals, removesAnything, totalsText } from '#domain/planning/text/plan-totals.ts';

const pool = (name: string, nodes: readonly string[]) => ({
  pool: `${name}-abcdefg`,
  role: 'compute',
  provider: 'sim',
  region: 'r',
  nodes: [...nodes],
});
const plan = (cluster: string, ...waypoints: Partial<ClusterPlan['waypoints'][number]>[]): ClusterPlan => ({
  cluster,
  waypoints: waypoints.map((one) => ({
    direction: 'grow',
    target: null,
    changes: [],
    stages: [],
    undo: [],
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

describe('totals of plans', () => {
  it('the totals of a plan count what is removed, without what is orphaned', () => {
    expect(totalsText(planTotals([gone('web', 'a')]))).toBe(
      '1 cluster removed; 2 nodes removed; 1 load balancer removed',
    );
    expect(planTotals([gone('web', 'a')], ['a-1']).nodes.removed).toBe(1);
  });

  it('the totals of plans with nothing to do say so', () => {
    const totals = planTotals([plan('web')]);
    expect([removesAnything(totals), totalsText(totals)]).toEqual([false, expect.stringMatching(/^no cluster, node/)]);
  });

  it('a cluster that is neither created nor removed is counted as changed', () => {
    const totals = planTotals([plan('web', { direction: 'settle' })]);
    expect([removesAnything(totals), totals.clusters]).toEqual([false, { added: 0, changed: 1, removed: 0 }]);
  });
});

describe('renames', () => {
  it('a removed cluster and a new one with the same pools are reported as a rename', () => {
    expect(findRenames([gone('old', 'a', 'b'), made('new', 'a', 'b')])).toEqual([{ from: 'old', to: 'new', nodes: 4 }]);
  });

  it('clusters whose pools have little in common are not a rename', () => {
    expect(findRenames([gone('old', 'a', 'b', 'c'), made('new', 'c', 'd')])).toEqual([]);
    expect(findRenames([made('new', 'a')])).toEqual([]);
  });

  it('each removed cluster is paired with the most similar new one, and none twice', () => {
    const pairs = findRenames([gone('x', 'a'), gone('y', 'b'), made('b2', 'b'), made('a2', 'a')]);
    expect(pairs.map(({ from, to }) => `${from} ${to}`)).toEqual(['x a2', 'y b2']);
  });
});
