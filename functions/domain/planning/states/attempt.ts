/**
 * What to remember while a waypoint is in progress, so that nothing is forgotten when it is interrupted: what the pipeline
 * stores as `current` and `attempted` of a cluster.
 */
import { clusterDocumentChanges } from '#domain/cluster-documents.ts';
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import type { StagePlan, Waypoint } from '#domain/plan.ts';
import { nodeKey } from './diff-pools.ts';
import { poolKey } from './diff-states.ts';

/** `current` is the last known state; `attempted` has what may exist in addition, or may be gone. */
export interface KnownStates {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
}

/**
 * To be stored before the first stage of a waypoint starts. What is being removed counts as existing until it is
 * gone: after an interruption, it is removed completely before it is created again.
 */
export function statesDuring(
  { target, changes, stages }: Pick<Waypoint, 'target' | 'changes' | 'stages'>,
  states: KnownStates,
): KnownStates {
  const { current, attempted } = states;
  if (target === null) {
    const all = everything(current, attempted);
    return { current: all, attempted: all === null ? null : { ...all, pools: [], loadBalancers: [] } };
  }
  const cleansUp = changes.some((change) => change.kind === 'LeftoversFound');
  const next = withOpenDocuments(target, attempted, documentsOf(stages));
  return { current: cleansUp ? withDocuments(everything(attempted, current), current) : current, attempted: next };
}

/** To be stored when a waypoint is reached. */
export function statesAfter({ target }: Pick<Waypoint, 'target'>, { attempted }: KnownStates): KnownStates {
  return { current: target, attempted: openDocuments(target, attempted) };
}

/** To be stored when a waypoint was undone. */
export function statesAfterUndo({ current, attempted }: KnownStates): KnownStates {
  return { current, attempted: openDocuments(current, attempted) };
}

/** With documents as they were reached: those of an attempt may be there in part. */
function withDocuments(state: ClusterState | null, reached: ClusterState | null): ClusterState | null {
  if (state === null || reached === null) return state;
  const { documents: _, ...rest } = state;
  return { ...rest, ...(reached.documents && { documents: reached.documents }) };
}

/** Null when all documents of the attempt are as in `state`. */
function openDocuments(state: ClusterState | null, attempted: ClusterState | null): ClusterState | null {
  const open = state && withOpenDocuments(state, attempted, new Set());
  return open === state ? null : open;
}

/** With documents as the attempt has them, which may be in the cluster like that, apart from those that the stages settle. */
function withOpenDocuments(
  state: ClusterState,
  attempted: ClusterState | null,
  settled: ReadonlySet<string>,
): ClusterState {
  if (attempted === null) return state;
  const documents = [
    ...(state.documents ?? []).filter(({ name }) => settled.has(name)),
    ...(attempted.documents ?? []).filter(({ name }) => !settled.has(name)),
  ];
  return sameDocuments(documents, state.documents) ? state : { ...state, documents };
}

function sameDocuments(...[from, to]: Parameters<typeof clusterDocumentChanges>): boolean {
  return Object.values(clusterDocumentChanges(from, to)).every((documents) => documents.length === 0);
}

/** Names of those that are applied or removed. */
function documentsOf(stages: readonly StagePlan[]): ReadonlySet<string> {
  const works = stages.flatMap((plan) => (plan.stage === 'nodes' ? [plan.work] : []));
  return new Set(
    works.flatMap(({ documents = [], documentsRemoved = [] }) => [
      ...documents.map(({ name }) => name),
      ...documentsRemoved,
    ]),
  );
}

/** Everything that is in one of the two states; what is in both is taken from the first. */
function everything(first: ClusterState | null, second: ClusterState | null): ClusterState | null {
  if (first === null || second === null) return first ?? second;
  const known = new Set(first.loadBalancers.map((loadBalancer) => loadBalancer.id));
  const others = new Map(second.loadBalancers.map((loadBalancer) => [loadBalancer.id, loadBalancer.pools]));
  return {
    ...first,
    pools: allOf(first.pools, second.pools),
    loadBalancers: [
      ...first.loadBalancers.map((loadBalancer) => ({
        ...loadBalancer,
        pools: allOf(loadBalancer.pools, others.get(loadBalancer.id) ?? []),
      })),
      ...second.loadBalancers.filter((loadBalancer) => !known.has(loadBalancer.id)),
    ],
  };
}

function allOf(first: readonly NodePoolState[], second: readonly NodePoolState[]): NodePoolState[] {
  const known = new Set(first.map(poolKey));
  const others = new Map(second.map((pool) => [poolKey(pool), pool.nodes]));
  return [
    ...first.map((pool) => {
      const keys = new Set(pool.nodes.map(nodeKey));
      const added = (others.get(poolKey(pool)) ?? []).filter((node) => !keys.has(nodeKey(node)));
      return added.length === 0 ? pool : { ...pool, nodes: [...pool.nodes, ...added] };
    }),
    ...second.filter((pool) => !known.has(poolKey(pool))),
  ];
}
