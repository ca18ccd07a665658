/** What holds for the path between any two states of a cluster. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { ClusterPlan, Waypoint } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { diffStates, poolKey, sameState } from '#domain/planning/states/diff-states.ts';
import { stateFaults } from '#domain/planning/states/state-faults.ts';
import { desiredOf } from './arbitraries.ts';
import { act, settled, worldOf } from './world.ts';

/** A current and a desired state, and the path between them. */
export interface Walk {
  readonly current: ClusterState;
  readonly desired: ClusterState;
  readonly plan: ClusterPlan;
  /** Which state of the path is checked, counted modulo their number. */
  readonly stop: number;
  readonly request: { readonly manifest: InputManifest; readonly templates: Readonly<Record<string, string>> };
}

type Check = (walk: Walk) => void;

export const pathChecks = {
  'ends in exactly the desired state, or says why not': ({ current, desired, plan }) => {
    if (plan.refusals.length > 0) {
      expect(plan.waypoints).toEqual([]);
      for (const { reason } of plan.refusals) expect(reason).toMatch(/cannot go back|while they are away/);
    } else if (plan.waypoints.length === 0) expect(sameState(current, desired)).toBe(true);
    else same(plan.waypoints.at(-1)?.target, desired);
  },

  'passes only through states that work, and a control node survives every step': ({ current, plan }) => {
    expect(stateFaults(current)).toEqual([]);
    let before = current;
    for (const { target } of plan.waypoints) {
      if (target === null) throw new Error('nothing is left on the way');
      expect(stateFaults(target)).toEqual([]);
      const survivors = controlNodes(target).filter((name) => controlNodes(before).includes(name));
      expect(survivors).not.toEqual([]);
      before = target;
    }
  },

  'never replaces, and never drops on the way, a node that is in both ends': ({ current, desired, plan }) => {
    const places = new Set(placesOf(desired));
    const kept = placesOf(current).filter((place) => places.has(place));
    const names = new Set(kept.map((place) => place.split(' ').at(-1)));
    for (const { target, stages } of plan.waypoints) {
      const there = new Set(placesOf(target));
      expect(kept.filter((place) => !there.has(place))).toEqual([]);
      for (const stage of stages) {
        if (stage.stage === 'nodes') expect(stage.work.remove.filter((name) => names.has(name))).toEqual([]);
        if (stage.stage === 'configuration') expect(stage.work.install.filter((name) => names.has(name))).toEqual([]);
      }
    }
  },

  'upgrades no node that the change removes': ({ desired, plan }) => {
    const kept = new Set(placesOf(desired));
    for (const { direction, target } of plan.waypoints) {
      if (direction === 'upgrade') expect(placesOf(target).filter((place) => !kept.has(place))).toEqual([]);
    }
  },

  'adds in grow only, removes in shrink only, and is the same each time it is planned': ({
    current,
    desired,
    plan,
  }) => {
    same(planClusterPath({ cluster: 'c', current, attempted: null, desired }), plan);
    for (const { direction, changes } of plan.waypoints) {
      const kinds = changes.map((change) => change.kind);
      if (direction !== 'grow') expect(kinds).not.toContain('NodesAdded');
      if (direction !== 'shrink') expect(kinds).not.toContain('NodesRemoved');
    }
  },

  'continues with its rest from any waypoint, whether it was reached or interrupted': ({
    current,
    desired,
    plan,
    stop,
  }) => {
    const stops = [current, ...plan.waypoints.map((waypoint) => waypoint.target)];
    const index = stop % stops.length;
    const rest = plan.waypoints.slice(index);
    const question = { cluster: 'c', current: stops[index] ?? null, desired };
    same(planClusterPath({ ...question, attempted: null }).waypoints, rest);
    const [next] = rest;
    if (next === undefined) return;
    const again = planClusterPath({ ...question, attempted: next.target }).waypoints;
    same(again.map(endOf), rest.map(endOf));
  },

  'leaves the world as each waypoint says, with nothing but the work that its stages name': ({ current, plan }) => {
    const world = worldOf(current);
    for (const { target, stages } of plan.waypoints) {
      for (const stage of stages) act(world, stage, target);
      same(settled(world, target), worldOf(target));
    }
  },

  'is undone to the world before, from whichever stage of a grow fails': ({ current, plan }) => {
    const index = plan.waypoints.findIndex(({ direction }) => direction === 'grow');
    const grow = plan.waypoints[index];
    if (grow === undefined) return;
    const before = index === 0 ? current : (plan.waypoints[index - 1]?.target ?? null);
    for (const failed of grow.stages.keys()) {
      const world = worldOf(before);
      for (const stage of grow.stages.slice(0, failed + 1)) act(world, stage, grow.target);
      for (const rung of grow.undo) act(world, rung, before);
      same(settled(world, before), worldOf(before));
    }
  },

  'continues without a pool that cannot be created, and with it once nothing holds it': ({
    current,
    desired,
    plan,
    request,
  }) => {
    const existing = new Set(allPools(current).map(poolKey));
    const broken = allPools(desired).find((pool) => !existing.has(poolKey(pool)) && pool.source.kind === 'dynamic');
    if (broken === undefined || plan.refusals.length > 0) return;
    const heldPools = [{ pool: broken.name, role: broken.role }];
    const without = desiredOf({ ...request, current, heldPools, ids: 'b' });
    const fresh = allPools(without).filter((pool) => !existing.has(poolKey(pool)));
    expect(fresh.filter(({ name, role }) => name === broken.name && role === broken.role)).toEqual([]);
    const held = planClusterPath({ cluster: 'c', current, attempted: null, desired: without });
    for (const { reason } of held.refusals)
      expect(reason).toMatch(/no control node|not a control node|has no node|no control pool|away/);
    if (held.refusals.length > 0) return;
    if (held.waypoints.length > 0) same(held.waypoints.at(-1)?.target, without);
    for (const { target } of held.waypoints) expect(target === null ? 'nothing' : stateFaults(target)).toEqual([]);
    const again = planClusterPath({
      cluster: 'c',
      current: without,
      attempted: null,
      desired: desiredOf({ ...request, current: without, ids: 'd' }),
    });
    expect(again.refusals).toEqual([]);
    const added = again.waypoints.flatMap(({ target }) => (target === null ? [] : allPools(target)));
    expect(added.some((pool) => pool.name === broken.name && pool.role === broken.role)).toBe(true);
  },

  'shows every difference as a change: no changes means the same state': ({ current, desired }) => {
    expect(diffStates(current, desired).length === 0).toBe(canonical(current) === canonical(desired));
  },
} as const satisfies Readonly<Record<string, Check>>;

/** Quick where they are the same; else with a difference that people can read. */
function same(left: unknown, right: unknown): void {
  if (!isDeepStrictEqual(left, right)) expect(left).toEqual(right);
}

function endOf({ direction, target }: Waypoint): unknown {
  return [direction, target];
}

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
