/** The health of nodes from check to check: since when one is not healthy, and how many checks found it so. */
import { allNodes, type ClusterState } from '../cluster-state.ts';
import type { NodeHealthRecord, NodeObservation } from '../drift.ts';
import type { ObservedNode } from './observed-node.ts';

/** Checks that follow each other faster are one: a task that was repeated must not count twice. */
const shortestMs = 60_000;

/**
 * Nodes that are not healthy, or locked. A node of Kubernetes that this check says nothing about is `unknown`, with the time and the
 * checks that were counted before.
 */
export function nextHealth(
  earlier: readonly NodeHealthRecord[],
  {
    state,
    seen: observations,
    now,
  }: { readonly state: ClusterState; readonly seen: readonly NodeObservation[]; readonly now: string },
): readonly NodeHealthRecord[] {
  const seen = new Map(observations.map((one) => [one.node, one]));
  return allNodes(state).flatMap(({ node: { name }, pool }): NodeHealthRecord[] => {
    const known = earlier.find(({ node }) => node === name);
    const inKubernetes = pool.role === 'control' || pool.role === 'compute';
    const unseen = inKubernetes ? ('unknown' as const) : ('healthy' as const);
    const { health = unseen, since, createdAt, locked, ready } = seen.get(name) ?? {};
    if (health === 'healthy' && !locked) return [];
    const counted = known && known.health !== 'healthy' ? known : undefined;
    const apart = counted === undefined || Date.parse(now) - Date.parse(counted.seenAt) >= shortestMs;
    const sure = health === 'notReady' || health === 'gone';
    const looks = (counted?.looks ?? 0) + (sure && apart ? 1 : 0);
    // Time in which no one knew does not count as unhealthy.
    const before = (counted?.looks ?? 0) > 0 || health === 'unknown' ? counted?.since : undefined;
    const began = [before, since, now].filter((at) => at !== undefined).sort()[0];
    return [
      {
        ...{
          node: name,
          health,
          looks: health === 'healthy' ? 0 : looks,
          seenAt: sure && apart ? now : (counted?.seenAt ?? now),
        },
        ...(health !== 'healthy' && began !== undefined && { since: began }),
        ...(createdAt !== undefined && { createdAt }),
        ...(locked && { locked }),
        ...(ready && { ready }),
      },
    ];
  });
}

/** All nodes of a cluster, as a decision on repair needs them. */
export function observedNodes(
  state: ClusterState,
  health: readonly NodeHealthRecord[],
  leaving: ReadonlySet<string>,
): readonly ObservedNode[] {
  return allNodes(state).map(({ node: { name }, pool }) => {
    const known = health.find(({ node }) => node === name);
    const { source } = pool;
    return {
      ...{ node: name, pool: pool.name, role: pool.role, protect: pool.protect === true },
      ...(source.kind === 'dynamic' && { place: { provider: source.provider.name, region: source.region } }),
      ...{ health: known?.health ?? 'healthy', looks: known?.looks ?? 0, locked: known?.locked === true },
      ...(known?.since !== undefined && { since: known.since }),
      ...(known?.createdAt !== undefined && { createdAt: known.createdAt }),
      ...(known?.ready && { ready: true }),
      ...(leaving.has(name) && { leaving: true }),
    };
  });
}
