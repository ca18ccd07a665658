/** Pools whose templates changed are replaced a few at a time: the goals on the way, each a state that works. */
import { type ApiEndpoint, allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';

export interface PathGoal {
  readonly goal: ClusterState;
  /** The attempted state: pools that are being replaced and exist in it already come first. */
  readonly attempted: ClusterState | null;
  /** Pools replaced at once when their templates change. */
  readonly replaceAtOnce: number;
}

/** A pool of the goal and the instances of it that it replaces. */
interface Replacement {
  readonly next: NodePoolState;
  readonly old: readonly NodePoolState[];
}

/**
 * First everything else together with replacements that are half done, then the other replacements, `replaceAtOnce` pools each;
 * the goal itself comes last.
 */
export function rollingGoals(
  here: ClusterState,
  { goal, attempted, replaceAtOnce }: PathGoal,
): readonly ClusterState[] {
  const all = replacements(here, goal);
  if (all.length === 0) return [goal];
  const started = new Set([here, attempted].flatMap((state) => (state ? allPools(state).map((pool) => pool.id) : [])));
  const waiting = all.filter(({ next }) => !started.has(next.id));
  const goals: ClusterState[] = [];
  for (let done = 0; done < waiting.length; done += replaceAtOnce) {
    goals.push(goalWithout(waiting.slice(done), here, goal));
  }
  return [...goals, goal];
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
    return next.source.kind === 'static' || replaced.length === 0 ? [] : [{ next, old: replaced }];
  });
}

/** The goal with the old instances still in the place of those that wait. */
function goalWithout(waiting: readonly Replacement[], here: ClusterState, goal: ClusterState): ClusterState {
  const oldOf = new Map(waiting.map(({ next, old }) => [next.id, old]));
  const inPlace = (pools: readonly NodePoolState[]) => pools.flatMap((pool) => oldOf.get(pool.id) ?? [pool]);
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
