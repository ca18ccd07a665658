/** What the agent of a cluster reports of its nodes between two checks, as healing reads it. Only a check decides. */
import type { ClusterState } from '../cluster-state.ts';
import type { ClusterDrift, NodeHealthRecord, NodeObservation } from '../drift.ts';
import { losesMachine } from '../node-notice.ts';
import type { RepairPolicy } from './observed-node.ts';

const minute = 60_000;
/** A cluster whose reports lie leads to no more checks than one with the shortest interval. */
const betweenChecksMs = 10 * minute;
/** A check compares a node that is not ready twice, a minute apart: it starts so much before its findings are needed. */
const lookMs = 50_000;
/** A spot machine is gone two minutes after its notice. */
const betweenNoticesMs = minute;

export interface ReportedQuestion {
  /** What the agent reported: nodes that are not well. */
  readonly unwell: readonly NodeObservation[];
  readonly state: ClusterState;
  /** By name of the pool. */
  readonly policies: Readonly<Record<string, RepairPolicy>>;
  /** What the last check found. */
  readonly drift: Pick<ClusterDrift, 'checkedAt' | 'lookAgainAt' | 'health'> | undefined;
  readonly now: Date;
}

/** True shortly before a node has been unwell for as long as its pool waits before it is replaced, unless a check has ended after that. */
export function asksForCheck({ unwell, state, policies, drift, now }: ReportedQuestion): boolean {
  const poolOf = new Map(state.pools.flatMap(({ name, nodes }) => nodes.map((node) => [node.name, name] as const)));
  const checkedAt = drift === undefined ? 0 : Date.parse(drift.checkedAt);
  const known = new Map((drift?.health ?? []).map(({ node, notice }) => [node, notice]));
  const isNoticed = unwell.some(({ node, notice }) => {
    const replaces = policies[poolOf.get(node) ?? '']?.onUnhealthy === 'replace';
    return replaces && losesMachine(notice) && !losesMachine(known.get(node));
  });
  if (isNoticed && now.getTime() - checkedAt >= betweenNoticesMs) return true;
  const waits = unwell.some(({ node, health, since }) => {
    const policy = policies[poolOf.get(node) ?? ''];
    if (health === 'healthy' || since === undefined || policy?.onUnhealthy !== 'replace') return false;
    const due = Date.parse(since) + policy.after * minute;
    return due - lookMs <= now.getTime() && due > checkedAt;
  });
  const isExpected = drift?.lookAgainAt !== undefined && drift.lookAgainAt <= now.toISOString();
  return waits && (isExpected || now.getTime() - checkedAt >= betweenChecksMs);
}

/** With one look at each node that the agent reported as not ready before any check found it so: made when that began. */
export function withReported(
  earlier: readonly NodeHealthRecord[],
  reported: readonly NodeObservation[],
): readonly NodeHealthRecord[] {
  const seen = new Set(earlier.flatMap(({ node, looks }) => (looks > 0 ? [node] : [])));
  const looks = reported.flatMap(({ node, health, since }): NodeHealthRecord[] =>
    health === 'notReady' && since !== undefined && !seen.has(node)
      ? [{ node, health, looks: 1, since, seenAt: since }]
      : [],
  );
  const added = new Set(looks.map(({ node }) => node));
  return [...earlier.filter(({ node }) => !added.has(node)), ...looks];
}
