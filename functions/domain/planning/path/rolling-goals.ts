/** Pools whose templates changed are replaced a few at a time: the goals on the way, each a state that works. */
import { type ApiEndpoint, allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';

interface PathGoal {
  readonly goal: ClusterState;
  readonly attempted: ClusterState | null;
  readonly replaceAtOnce: number;
}

/** A pool of the goal and the instances of it that it replaces. */
interface Replacement {
  readonly fresh: NodePoolState;
  readonly worn: readonly NodePoolState[];
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
  const begun = new Set([here, attempted].flatMap((state) => (state ? allPools(state).map((pool) => pool.id) : [])));
  const waiting = all.filter(({ fresh }) => !begun.has(fresh.id));
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
  const worn = here.filter((pool) => pool.source.kind === 'dynamic' && !desired.has(pool.id));
  return goal.flatMap((fresh) => {
    const replaced = worn.filter((pool) => pool.name === fresh.name && pool.role === fresh.role);
    return fresh.source.kind === 'static' || replaced.length === 0 ? [] : [{ fresh, worn: replaced }];
  });
}

/** The goal with the old instances still in the place of those that wait. */
function goalWithout(waiting: readonly Replacement[], here: ClusterState, goal: ClusterState): ClusterState {
  const wornOf = new Map(waiting.map(({ fresh, worn }) => [fresh.id, worn]));
  const inPlace = (pools: readonly NodePoolState[]) => pools.flatMap((pool) => wornOf.get(pool.id) ?? [pool]);
  const pools = inPlace(goal.pools);
  return {
    ...goal,
    pools,
    apiEndpoint: endpointIn(pools, [goal.apiEndpoint, here.apiEndpoint]),
    loadBalancers: goal.loadBalancers.map((loadBalancer) => ({ ...loadBalancer, pools: inPlace(loadBalancer.pools) })),
  };
}

function endpointIn(pools: readonly NodePoolState[], desiredById: readonly [ApiEndpoint, ApiEndpoint]): ApiEndpoint {
  const [first, second] = desiredById;
  const nodes = pools.filter((pool) => pool.role === 'control').flatMap((pool) => pool.nodes.map((node) => node.name));
  if (first.kind === 'loadBalancer' || nodes.includes(first.node)) return first;
  if (second.kind === 'node' && nodes.includes(second.node)) return second;
  return { kind: 'node', node: nodes[0] ?? '' };
}
