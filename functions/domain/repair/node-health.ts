/** The health of nodes from check to check: since when one is not healthy, and how many checks found it so. */
import { allNodes, type ClusterState } from '../cluster-state.ts';
import type { NodeHealthRecord, NodeObservation } from '../drift.ts';
import { losesMachine } from '../node-notice.ts';
import type { ObservedNode } from './observed-node.ts';

/** Checks that follow each other faster are one: a task that was repeated must not count twice. */
const shortestMs = 60_000;

/**
 * Nodes that are not healthy, or locked, and all machines with health checks. A node of Kubernetes, or a machine with health checks, that
 * this check says nothing about is `unknown`, with the time and the checks that were counted before.
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
  const before = new Map(earlier.map((one) => [one.node, one]));
  return allNodes(state).flatMap(({ node: { name }, pool }): NodeHealthRecord[] => {
    const known = before.get(name);
    const inKubernetes = pool.role === 'control' || pool.role === 'compute';
    const asked = pool.health !== undefined;
    const unseen = inKubernetes || asked ? ('unknown' as const) : ('healthy' as const);
    const { health = unseen, since, createdAt, locked, ready, failing, notice } = seen.get(name) ?? {};
    const plain = health === 'healthy' && !locked && !notice;
    if (plain && asked) return [{ node: name, health, looks: 0, since: sinceHealthy(known) ?? now, seenAt: now }];
    if (plain) return [];
    const counted = known && known.health !== 'healthy' ? known : undefined;
    const apart = counted === undefined || Date.parse(now) - Date.parse(counted.seenAt) >= shortestMs;
    const sure = isUnhealthy(health);
    const looks = (counted?.looks ?? 0) + (sure && apart ? 1 : 0);
    // Time in which no one knew does not count as unhealthy.
    const noticed = (counted?.looks ?? 0) > 0 || health === 'unknown' ? counted?.since : undefined;
    const began = [noticed, since, now].filter((at) => at !== undefined).sort()[0];
    return [
      {
        node: name,
        health,
        looks: health === 'healthy' ? 0 : looks,
        seenAt: sure && apart ? now : (counted?.seenAt ?? now),
        ...(health !== 'healthy' && began !== undefined && { since: began }),
        ...(createdAt !== undefined && { createdAt }),
        ...(locked && { locked }),
        ...(ready && { ready }),
        ...(failing !== undefined && { failing }),
        ...(notice && { notice }),
      },
    ];
  });
}

/** Some check found a fault; `unknown` is not a fault. */
export function isUnhealthy(health: NodeHealthRecord['health']): boolean {
  return health === 'notReady' || health === 'unhealthy' || health === 'gone';
}

function sinceHealthy(known: NodeHealthRecord | undefined): string | undefined {
  return known?.health === 'healthy' ? known.since : undefined;
}

/** All nodes of a cluster, as a decision on repair needs them. */
export function observedNodes(
  state: ClusterState,
  health: readonly NodeHealthRecord[],
  leaving: ReadonlySet<string>,
): readonly ObservedNode[] {
  const records = new Map(health.map((one) => [one.node, one]));
  return allNodes(state).map(({ node: { name }, pool }) => {
    const known = records.get(name);
    const { source } = pool;
    return {
      node: name,
      pool: pool.name,
      role: pool.role,
      protect: pool.protect === true,
      ...(source.kind === 'dynamic' && { place: { provider: source.provider.name, region: source.region } }),
      health: known?.health ?? 'healthy',
      looks: known?.looks ?? 0,
      locked: known?.locked === true,
      ...(known?.since !== undefined && known.health !== 'healthy' && { since: known.since }),
      ...(known?.failing !== undefined && { failing: known.failing }),
      ...(known?.createdAt !== undefined && { createdAt: known.createdAt }),
      ...(known?.ready && { ready: true }),
      ...(losesMachine(known?.notice) && { notice: known?.notice?.kind }),
      ...(leaving.has(name) && { leaving: true }),
    };
  });
}
