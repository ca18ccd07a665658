/** Pools whose machines have to be others, or to be changed in place, are rolled a few at a time: the goals on the way, each a state that works. */
import {
  type ApiEndpoint,
  allPools,
  type ClusterState,
  type NodePoolState,
  type NodeState,
  serverTypeOf,
} from '#domain/cluster-state.ts';

export interface PathGoal {
  readonly goal: ClusterState;
  /** The attempted state: pools that are being replaced and exist in it already come first. */
  readonly attempted: ClusterState | null;
  /** Pools replaced at once when their templates change. */
  readonly replaceAtOnce: number;
}

/** A pool of the goal, what exists of it, and the instances of it that it replaces. */
interface Replacement {
  readonly next: NodePoolState;
  readonly made: NodePoolState | undefined;
  readonly old: readonly NodePoolState[];
}

/** Pools in the place of one of the goal, by its id. */
type Places = ReadonlyMap<string, readonly NodePoolState[]>;

/**
 * First everything else together with replacements that are half done, then the other replacements, `replaceAtOnce` pools each; then
 * machine groups of which old machines are removed first, then those that are changed in place, one group after the other. The goal
 * itself comes last.
 */
export function rollingGoals(
  here: ClusterState,
  { goal, attempted, replaceAtOnce }: PathGoal,
): readonly ClusterState[] {
  const all = replacements(here, goal);
  const resizings = resizingsOf(here, goal);
  if (all.length + resizings.length === 0) return [goal];
  const started = new Set([here, attempted].flatMap((state) => (state ? allPools(state).map((pool) => pool.id) : [])));
  const shrinking = all.filter(({ next }) => next.replaceAtOnce !== undefined);
  const waiting = all.filter((one) => !shrinking.includes(one) && !started.has(one.next.id));
  const places = new Map([
    ...all.map((one) => [one.next.id, existing(one)] as const),
    ...resizings.map(({ unchanged }) => [unchanged.id, [unchanged]] as const),
  ]);
  const goals: ClusterState[] = [];
  const take = (replaced: readonly Replacement[]) => {
    for (const { next } of replaced) places.delete(next.id);
  };
  take(all.filter((one) => !shrinking.includes(one) && !waiting.includes(one)));
  for (let done = 0; done < waiting.length; done += replaceAtOnce) {
    goals.push(goalWith(places, here, goal));
    take(waiting.slice(done, done + replaceAtOnce));
  }
  for (const one of shrinking) {
    goals.push(goalWith(places, here, goal));
    for (const step of stepsOf(one, stepsOfGroups(goal))) {
      places.set(one.next.id, step);
      goals.push(goalWith(places, here, goal));
    }
    take([one]);
  }
  for (const { unchanged, rounds } of resizings) {
    for (const round of rounds) {
      places.set(unchanged.id, [round]);
      goals.push(goalWith(places, here, goal));
    }
    places.delete(unchanged.id);
    // Its last round is not the first one of the next group.
    goals.push(goalWith(places, here, goal));
  }
  return [...goals, goal];
}

/** A pool of the goal whose machines get another server type: as before, and after each round but the last. */
interface Resizing {
  readonly unchanged: NodePoolState;
  /** Machines that still have the old type. */
  readonly left: number;
  readonly rounds: readonly NodePoolState[];
}

/** Rounds in place that a path takes at most, all groups together: with its retries a run has 200 waypoints. More are refused. */
export const mostRounds = 100;

/** The groups whose machines restart in rounds, and how many these are: no round has more machines than its group allows. */
export function roundsInPlace(
  here: ClusterState,
  goal: ClusterState,
): readonly { readonly pool: NodePoolState; readonly left: number; readonly rounds: number }[] {
  return resizingsOf(here, goal).map(({ unchanged: pool, left, rounds }) => ({
    pool,
    left,
    rounds: rounds.length + 1,
  }));
}

/** Which machines are left follows from what they have, so a path that is planned again continues where it was interrupted. */
function resizingsOf(here: ClusterState, goal: ClusterState): readonly Resizing[] {
  const before = new Map(here.pools.map((pool) => [pool.id, pool]));
  return goal.pools.flatMap((next): readonly Resizing[] => {
    const pool = before.get(next.id);
    const { source } = next;
    if (!next.resizeInPlace || source.kind === 'static' || pool?.source.kind !== 'dynamic') return [];
    const known = new Map(pool.nodes.map((node) => [node.name, serverTypeOf(node, pool)]));
    const old = pool.source.serverType;
    const typeOf = ({ name }: NodeState) => known.get(name) ?? source.serverType;
    const left = next.nodes.filter((node) => typeOf(node) !== source.serverType);
    if (left.length === 0) return [];
    const as = (serverType: string, changed: ReadonlySet<string>): NodePoolState => ({
      ...next,
      source: { ...source, serverType },
      nodes: next.nodes.map((node) => {
        const type = changed.has(node.name) ? source.serverType : typeOf(node);
        return type === serverType ? node : { ...node, serverType: type };
      }),
    });
    const atOnce = next.resizeAtOnce ?? 1;
    const rounds: NodePoolState[] = [];
    for (let done = atOnce; done < left.length; done += atOnce) {
      rounds.push(as(source.serverType, new Set(left.slice(0, done).map(({ name }) => name))));
    }
    return [{ unchanged: as(old, new Set()), left: left.length, rounds }];
  });
}

/**
 * Each is two waypoints: large groups are replaced in so many steps at most. Groups that need none count, too, so that the number stays
 * the same until the last one is done.
 */
function stepsOfGroups(goal: ClusterState): number {
  const groups = allPools(goal).filter((pool) => pool.replaceAtOnce !== undefined).length;
  return Math.max(1, Math.min(20, Math.floor(80 / groups)));
}

/**
 * Old machines leave, then new ones take their places, a few at a time. The path is planned again after each waypoint: places
 * that are free by then are filled before others leave.
 */
function stepsOf({ next, made, old }: Replacement, mostSteps: number): readonly (readonly NodePoolState[])[] {
  const steps: (readonly NodePoolState[])[] = [];
  const wanted = next.nodes.length;
  let here = made?.nodes.length ?? 0;
  let left = old;
  const count = () => left.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const atOnce = Math.max(next.replaceAtOnce ?? 1, Math.ceil(Math.max(count(), wanted) / mostSteps));
  const add = () => steps.push([...left, ...some(next, here)]);
  for (;;) {
    if (wanted - count() > here) {
      here = wanted - count();
      add();
    }
    if (count() === 0) return steps;
    left = withoutFirst(left, atOnce);
    add();
  }
}

function withoutFirst(pools: readonly NodePoolState[], count: number): readonly NodePoolState[] {
  let gone = count;
  return pools.flatMap((pool) => {
    const nodes = pool.nodes.slice(gone);
    gone -= pool.nodes.length - nodes.length;
    return nodes.length === 0 ? [] : [{ ...pool, nodes }];
  });
}

function some(pool: NodePoolState, count: number): readonly NodePoolState[] {
  return count === 0 ? [] : [{ ...pool, nodes: pool.nodes.slice(0, count) }];
}

function existing({ old, made }: Replacement): readonly NodePoolState[] {
  return made === undefined ? old : [...old, made];
}

function replacements(here: ClusterState, goal: ClusterState): readonly Replacement[] {
  const balancers = new Map(here.loadBalancers.map((loadBalancer) => [loadBalancer.id, loadBalancer.pools]));
  return [
    ...replacedIn(here.pools, goal.pools),
    ...goal.loadBalancers.flatMap(({ id, pools }) => replacedIn(balancers.get(id) ?? [], pools)),
  ];
}

function replacedIn(here: readonly NodePoolState[], goal: readonly NodePoolState[]): readonly Replacement[] {
  const desired = new Set(goal.map((pool) => pool.id));
  const old = here.filter((pool) => pool.source.kind === 'dynamic' && !desired.has(pool.id));
  return goal.flatMap((next) => {
    const replaced = old.filter((pool) => pool.name === next.name && pool.role === next.role);
    const made = here.find(({ id }) => id === next.id);
    return next.source.kind === 'static' || replaced.length === 0 ? [] : [{ next, made, old: replaced }];
  });
}

/** The goal with other pools in the places of some. */
function goalWith(places: Places, here: ClusterState, goal: ClusterState): ClusterState {
  const inPlace = (pools: readonly NodePoolState[]) => pools.flatMap((pool) => places.get(pool.id) ?? [pool]);
  const pools = inPlace(goal.pools);
  return {
    ...goal,
    pools,
    apiEndpoint: endpointIn(pools, goal.apiEndpoint, here.apiEndpoint),
    loadBalancers: goal.loadBalancers.map((loadBalancer) => ({ ...loadBalancer, pools: inPlace(loadBalancer.pools) })),
  };
}

/** The endpoint of the goal where its node is among them, else the current one, else any control node. */
function endpointIn(pools: readonly NodePoolState[], goal: ApiEndpoint, current: ApiEndpoint): ApiEndpoint {
  const nodes = pools.filter((pool) => pool.role === 'control').flatMap((pool) => pool.nodes.map((node) => node.name));
  if (goal.kind !== 'node' || nodes.includes(goal.node)) return goal;
  if (current.kind === 'node' && nodes.includes(current.node)) return current;
  return { kind: 'node', node: nodes[0] ?? '' };
}
