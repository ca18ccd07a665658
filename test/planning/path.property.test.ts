import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { diffStates, poolKey, sameState } from '#domain/planning/diff-states.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { stateFaults } from '#domain/planning/state-faults.ts';
import { desiredOf, frozen, manifestArbitrary, templatesArbitrary } from './arbitraries.ts';
import { act, settled, worldOf } from './world.ts';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };
const pair = fc.tuple(manifestArbitrary, manifestArbitrary, templatesArbitrary, templatesArbitrary);
type Pair = typeof pair extends fc.Arbitrary<infer Value> ? Value : never;

/** Two states of a cluster, the second wished for while the first stands, and the path between them. */
function walk([first, second, templatesBefore, templatesAfter]: Pair): {
  current: ClusterState;
  desired: ClusterState;
  plan: ClusterPlan;
} {
  const current = frozen(desiredOf({ manifest: first, templates: templatesBefore, ids: 'a' }));
  const desired = frozen(desiredOf({ manifest: second, templates: templatesAfter, current, ids: 'b' }));
  return { current, desired, plan: frozen(planClusterPath({ cluster: 'c', current, attempted: null, desired })) };
}

describe('the path between two random states', { timeout: 120_000 }, () => {
  test('ends in exactly the desired state, or says why not', () => {
    let refused = 0;
    fc.assert(
      fc.property(pair, (input) => {
        const { current, desired, plan } = walk(input);
        if (plan.refusals.length > 0) {
          refused++;
          expect(plan.waypoints).toEqual([]);
          for (const { reason } of plan.refusals) expect(reason).toMatch(/cannot go back|while they are away/);
        } else if (plan.waypoints.length === 0) expect(sameState(current, desired)).toBe(true);
        else expect(plan.waypoints.at(-1)?.target).toEqual(desired);
      }),
      runs,
    );
    expect(refused).toBeLessThan(runs.numRuns * 0.7);
  });

  test('passes only through states that work, and a control node survives every step', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, plan } = walk(input);
        expect(stateFaults(current)).toEqual([]);
        let before = current;
        for (const { target } of plan.waypoints) {
          if (target === null) throw new Error('nothing is left on the way');
          expect(stateFaults(target)).toEqual([]);
          const survivors = controlNodes(target).filter((name) => controlNodes(before).includes(name));
          expect(survivors).not.toEqual([]);
          before = target;
        }
      }),
      runs,
    );
  });

  test('never replaces, and never drops on the way, a node that is in both ends', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, desired, plan } = walk(input);
        const kept = placesOf(current).filter((place) => placesOf(desired).includes(place));
        for (const { target, stages } of plan.waypoints) {
          const there = placesOf(target);
          expect(kept.filter((place) => !there.includes(place))).toEqual([]);
          const names = kept.map((place) => place.split(' ').at(-1));
          for (const plan of stages) {
            if (plan.stage === 'nodes') expect(plan.work.remove.filter((name) => names.includes(name))).toEqual([]);
            if (plan.stage === 'configuration') {
              expect(plan.work.install.filter((name) => names.includes(name))).toEqual([]);
            }
          }
        }
      }),
      runs,
    );
  });

  test('adds in grow only, removes in shrink only, and is the same each time it is planned', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, desired, plan } = walk(input);
        expect(planClusterPath({ cluster: 'c', current, attempted: null, desired })).toEqual(plan);
        for (const { direction, changes } of plan.waypoints) {
          const kinds = changes.map((change) => change.kind);
          if (direction !== 'grow') expect(kinds).not.toContain('NodesAdded');
          if (direction !== 'shrink') expect(kinds).not.toContain('NodesRemoved');
        }
      }),
      runs,
    );
  });

  test('goes on with its rest from every waypoint, whether it was reached or cut off', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, desired, plan } = walk(input);
        const stops = [current, ...plan.waypoints.map((waypoint) => waypoint.target)];
        for (const [index, stop] of stops.entries()) {
          const rest = plan.waypoints.slice(index);
          const question = { cluster: 'c', current: stop, desired };
          expect(planClusterPath({ ...question, attempted: null }).waypoints).toEqual(rest);
          const [next] = rest;
          if (next === undefined) continue;
          const again = planClusterPath({ ...question, attempted: next.target });
          expect(again.waypoints.map(({ target }) => target)).toEqual(rest.map(({ target }) => target));
          expect(again.waypoints.map(({ direction }) => direction)).toEqual(rest.map(({ direction }) => direction));
        }
      }),
      runs,
    );
  });

  test('leaves the world as each waypoint says, with nothing but the work that its stages name', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, plan } = walk(input);
        const world = worldOf(current);
        for (const { target, stages } of plan.waypoints) {
          for (const stage of stages) act(world, stage, target);
          expect(settled(world, target)).toEqual(worldOf(target));
        }
      }),
      runs,
    );
  });

  test('is undone to the world before, from whichever stage of a grow fails', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, plan } = walk(input);
        const index = plan.waypoints.findIndex(({ direction }) => direction === 'grow');
        const grow = plan.waypoints[index];
        if (grow === undefined) return;
        const before = index === 0 ? current : (plan.waypoints[index - 1]?.target ?? null);
        for (const failed of grow.stages.keys()) {
          const world = worldOf(before);
          for (const stage of grow.stages.slice(0, failed + 1)) act(world, stage, grow.target);
          for (const rung of grow.undo) act(world, rung, before);
          expect(settled(world, before)).toEqual(worldOf(before));
        }
      }),
      runs,
    );
  });

  test('shows every difference as a change: no changes means the same state', () => {
    fc.assert(
      fc.property(pair, (input) => {
        const { current, desired } = walk(input);
        expect(diffStates(current, desired).length === 0).toBe(canonical(current) === canonical(desired));
      }),
      runs,
    );
  });
});

function controlNodes(state: ClusterState): readonly string[] {
  return allNodes(state).flatMap(({ node, pool }) => (pool.role === 'control' ? [node.name] : []));
}

function placesOf(state: ClusterState | null): readonly string[] {
  if (state === null) return [];
  const places = (owner: string, pools: ClusterState['pools']) =>
    pools.flatMap((pool) =>
      pool.nodes.map((node) => `${owner} ${poolKey(pool)} ${node.static?.endpoint} ${node.name}`),
    );
  return [...places('', state.pools), ...state.loadBalancers.flatMap(({ id, pools }) => places(id, pools))];
}

/** A state as text in which order means nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${entries
    .map(([key, part]) => `${key}:${canonical(part)}`)
    .sort()
    .join()}}`;
}
