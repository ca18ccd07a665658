/** The start of a path after an interrupted attempt: first it must be certain again what exists. */
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { compareVersions } from '#domain/kubernetes-versions.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { endpointText, poolKey, sameState } from '../states/diff-states.ts';
import { moveTarget, withAccess } from './move-target.ts';
import { type Step, stepsTowards } from './path-steps.ts';
import type { PathGoal } from './rolling-goals.ts';
import { shrinkTarget } from './shrink-target.ts';

/** The steps from what exists, or may exist, to the goal. */
export function stepsFrom(current: ClusterState | null, desired: PathGoal): readonly Step[] {
  if (current === null) return stepsFromNothing(desired);
  const { attempted, goal } = desired;
  if (attempted !== null && isNothing(attempted) && !isNothing(current)) {
    return [{ direction: 'destroy', target: null }, ...create(goal)];
  }
  const base = withAccess(current, goal);
  const newAccess = !sameState(current, base);
  if (attempted === null || sameState(base, withAccess(attempted, goal))) {
    const access: readonly Step[] = newAccess ? [{ direction: 'settle', target: base }] : [];
    return endIn(goal, [...access, ...stepsTowards(base, desired)]);
  }
  const steps = stepsAfterAttempt({ current, base, attempted, desired });
  if (steps.length === 0 && newAccess) return [{ direction: 'settle', target: goal }];
  return endIn(goal, steps);
}

/** What is in `state` and not in `other`: nodes, pools and load balancers. */
function thingsOnlyIn(state: ClusterState, other: ClusterState): ReadonlySet<string> {
  const known = thingsOf(other);
  return new Set([...thingsOf(state)].filter((thing) => !known.has(thing)));
}

function stepsFromNothing({ attempted, goal }: PathGoal): readonly Step[] {
  if (attempted === null || isNothing(attempted) || canContinue(attempted, goal)) return create(goal);
  return [{ direction: 'destroy', target: null, leftovers: true }, ...create(goal)];
}

/** An interrupted create continues when everything that it started is still desired. */
function canContinue(attempted: ClusterState, goal: ClusterState): boolean {
  return (
    thingsOnlyIn(attempted, goal).size === 0 &&
    attempted.id === goal.id &&
    attempted.network === goal.network &&
    attempted.kubernetesVersion === goal.kubernetesVersion &&
    endpointText(attempted) === endpointText(goal)
  );
}

interface Interrupted {
  readonly current: ClusterState;
  /** The current state, with the credentials of the goal. */
  readonly base: ClusterState;
  readonly attempted: ClusterState;
  readonly desired: PathGoal;
}

function stepsAfterAttempt({ current, base, attempted, desired }: Interrupted): readonly Step[] {
  const plain = stepsTowards(base, desired);
  const first = plain[0]?.target ?? null;
  // The path repeats the interrupted waypoint.
  if (first !== null && sameState(first, withAccess(attempted, desired.goal))) return plain;
  const extras = thingsOnlyIn(attempted, current);
  const removed = thingsOnlyIn(current, attempted);
  // Desired again while it was being removed: half of it may be gone, so it is removed first and then created again.
  if (removed.size > 0 && (first === null || has(first, removed, 'any'))) {
    const target = shrinkTarget(base, attempted);
    return [{ direction: 'shrink', target, ...leftovers(extras) }, ...stepsTowards(target, desired)];
  }
  // The interrupted waypoint added what is no longer desired.
  if (extras.size > 0 && (first === null || !has(first, extras, 'all'))) {
    return [{ direction: 'shrink', target: base, leftovers: true }, ...plain];
  }
  const { kubernetesVersion } = attempted;
  // Some nodes may have the newer version already, and Kubernetes cannot be downgraded.
  if (kubernetesVersion !== current.kubernetesVersion) {
    if (plain[0]?.direction === 'upgrade' && !isOlder(first, kubernetesVersion)) return plain;
    const target = { ...base, kubernetesVersion };
    return [{ direction: 'upgrade', target }, ...stepsTowards(target, desired)];
  }
  // Some clients may use the new endpoint already: all move on to it if it is still desired, else back.
  if (!sameState(current, moveTarget(current, attempted))) {
    if (plain[0]?.direction === 'move') return plain;
    const onwards = endpointText(attempted) === endpointText(desired.goal);
    const target = onwards ? moveTarget(base, attempted) : base;
    return [{ direction: 'move', target }, ...stepsTowards(target, desired)];
  }
  return plain.length > 0 ? plain : [{ direction: 'settle', target: desired.goal }];
}

/** Documents come when the cluster works: a failure of theirs must not undo it. */
function create(goal: ClusterState): readonly Step[] {
  const { documents, ...bare } = goal;
  if (documents === undefined) return [{ direction: 'grow', target: goal }];
  return [
    { direction: 'grow', target: bare },
    { direction: 'settle', target: goal },
  ];
}

/** The last target is the goal itself, not a state that means the same. */
function endIn(goal: ClusterState, steps: readonly Step[]): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || last.target === null || !sameState(last.target, goal)) return steps;
  return [...steps.slice(0, -1), { ...last, target: goal }];
}

function leftovers(extras: ReadonlySet<string>): { leftovers?: true } {
  return extras.size > 0 ? { leftovers: true } : {};
}

function isOlder(state: ClusterState | null, version: string): boolean {
  return state === null || compareVersions(state.kubernetesVersion, version) < 0;
}

function isNothing(state: ClusterState): boolean {
  return state.pools.length === 0 && state.loadBalancers.length === 0;
}

function has(state: ClusterState, things: ReadonlySet<string>, which: 'any' | 'all'): boolean {
  const known = thingsOf(state);
  return which === 'any'
    ? [...things].some((thing) => known.has(thing))
    : [...things].every((thing) => known.has(thing));
}

function thingsOf(state: ClusterState): ReadonlySet<string> {
  return new Set([
    ...allPools(state).flatMap((pool) => [
      poolKey(pool),
      ...pool.nodes.map((node) => `${poolKey(pool)} ${nodeKey(node)}`),
    ]),
    ...state.loadBalancers.map((loadBalancer) => `load balancer ${loadBalancer.id}`),
  ]);
}
