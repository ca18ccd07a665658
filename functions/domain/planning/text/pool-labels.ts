/** What pools are called in sentences: their name, where a plan has no other of that name, else their id. */
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { Change, ClusterPlan } from '#domain/plan.ts';

/** The label of a pool, by its id. */
export type PoolLabel = (id: string) => string;

/** Labels for all pools of a plan, or of the state before it. */
export function poolLabels(plan: Pick<ClusterPlan, 'waypoints'>, current: ClusterState | null): PoolLabel {
  const states = [current, ...plan.waypoints.map(({ target }) => target)].filter((state) => state !== null);
  const names = new Map([
    ...plan.waypoints.flatMap(({ changes }) => changes.flatMap(poolsGone)),
    ...states.flatMap(allPools).map((pool) => [pool.id, pool.name] as const),
  ]);
  const uses = new Map<string, number>();
  for (const name of names.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return (id) => {
    const name = names.get(id);
    return name !== undefined && uses.get(name) === 1 ? name : id;
  };
}

/** A pool that is known only by its removal: its id is its name and a hash, except for static ones. */
function poolsGone(change: Change): readonly (readonly [string, string])[] {
  if (change.kind !== 'NodePoolRemoved') return [];
  const { pool, provider } = change;
  return [[pool, provider === 'static' ? pool : pool.replace(/-[a-z0-9]{7}$/, '')]];
}
