import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import { type Demand, isOpen, noDemand, openDemand, sizesOf } from '#domain/demand.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { desiredOf, manifestArbitrary } from './arbitraries.ts';

const at = '2026-11-23T03:00:00.000Z';
const question = fc.tuple(
  manifestArbitrary,
  fc.array(fc.tuple(fc.nat(30), fc.nat(12)), { maxLength: 3 }),
  fc.array(fc.nat(40), { maxLength: 3 }),
);

const controlNodes = (state: ClusterState) =>
  allNodes(state)
    .filter(({ pool }) => pool.role === 'control')
    .map(({ node }) => node.name);

describe('random demands of random clusters', { timeout: 600_000 }, () => {
  test('every demand is reached and removed within a few waypoints, with bounds and control nodes kept', () => {
    let refused = 0;
    const property = fc.property(question, ([manifest, sizes, places]) => {
      let current = desiredOf({ manifest, ids: 'a' });
      const scaled = manifest.spec.nodePools.dynamic.filter(({ autoscaler }) => autoscaler !== undefined);
      const bounds = Object.fromEntries(scaled.map(({ name, autoscaler }) => [name, autoscaler ?? { min: 0, max: 0 }]));
      const nodes = allNodes(current).filter(({ pool }) => pool.source.kind === 'dynamic' && !pool.protect);
      const brains = controlNodes(current);
      const wanted = places.flatMap((place) => nodes[place % Math.max(1, nodes.length)]?.node.name ?? []);
      // The last control node is refused before.
      const asked = [...new Set(wanted)].filter((name) => name !== brains.at(-1));
      let demand: Demand = {
        ...noDemand,
        sizes: Object.fromEntries(
          sizes.flatMap(([place, count]) => {
            const pool = scaled[place % Math.max(1, scaled.length)];
            return pool ? [[pool.name, { count, at, by: 'ann' }]] : [];
          }),
        ),
        replace: asked.map((node) => ({ node, because: 'it hangs', at, by: 'healing' })),
      };
      const numbers = new Map(allPools(current).map((pool) => [pool.id, pool.nodes.length]));
      const desiredSizes = { ...demand.sizes };
      for (let waypoints = 0; ; waypoints++) {
        demand = openDemand(demand, { current, attempted: null, bounds });
        const leaving = demand.replace.map(({ node }) => node);
        const desired = desiredOf({ manifest, current, leaving, sizes: sizesOf(demand), ids: `b${waypoints}` });
        const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired });
        if (plan.refusals.length > 0) {
          refused += 1;
          return;
        }
        const [next] = plan.waypoints;
        if (next === undefined || next.target === null) break;
        if (controlNodes(next.target).length === 0) throw new Error('no control node is left');
        expect(waypoints).toBeLessThan(12);
        current = next.target;
      }
      expect(isOpen(demand)).toBe(false);
      expect(allNodes(current).filter(({ node }) => asked.includes(node.name))).toEqual([]);
      for (const pool of allPools(current)) {
        const limits = bounds[pool.name];
        const size = desiredSizes[pool.name]?.count;
        const before = numbers.get(pool.id) ?? 0;
        if (limits === undefined) expect(pool.nodes).toHaveLength(before);
        else expect(pool.nodes).toHaveLength(Math.min(limits.max, Math.max(limits.min, size ?? before)));
      }
    });
    const numRuns = propertyRuns(500);
    fc.assert(property, { numRuns });
    expect(refused).toBeLessThan(numRuns * 0.5);
  });
});
