/** The outcome of a run: of each cluster, and of the manifest. */
import type { ClusterRecord, ManifestRecord, NewEvent, RunRecord } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';
import { levelOf } from '#domain/event-kinds.ts';
import { knownExpiries, nextWarningAt } from '#domain/expiry.ts';
import { type FailedManifest, failureText } from '#domain/failure-lines.ts';
import { nameInZone } from '#domain/manifest/schema/dns-name.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import { counted, listed } from '#domain/words.ts';
import { isMaintained } from '../drift/maintained-cluster.ts';
import { clusterName } from '../records/cluster-records.ts';
import { isFailureOf, linesOfCluster, linesOfPool } from '../records/failed-cluster.ts';

/** What counts of a cluster when its run settles: its record without the states. */
export interface SettledCluster extends Pick<ClusterRecord, 'status' | 'failure' | 'heldPools' | 'lastChange'> {
  readonly name: string;
  /** It has a stored record. */
  readonly stored: boolean;
  /** A check has something to do there. */
  readonly maintained: boolean;
  /** It is not where the run should have led it. */
  readonly unfinished: boolean;
  /** What its machines cost as they are; absent where it is not asked for. */
  readonly cost?: AcceptedCost;
  /** DNS names that its load balancers have, in their normal form. */
  readonly names: readonly string[];
  /** ISO 8601: when another check may lead to a replacement of one of its nodes. */
  readonly lookAgainAt?: string;
  /** ISO 8601: when the end of its certificates becomes a warning. */
  readonly warnAt?: string;
}

export type CostOf = ((record: ClusterRecord) => AcceptedCost) | undefined;

export function settledCluster(record: ClusterRecord, unfinished: boolean, costOf: CostOf): SettledCluster {
  const { status, failure, heldPools, lastChange, version, drift: { lookAgainAt } = {} } = record;
  const maintained = isMaintained(record);
  const again = lookAgainAt === undefined ? {} : { lookAgainAt };
  const warnAt = nextWarningAt(knownExpiries(record));
  const ends = warnAt === undefined ? {} : { warnAt };
  const more = { ...again, ...ends, ...(costOf && { cost: costOf(record) }) };
  const kept = { status, failure, heldPools, lastChange, stored: version > 0, names: namesOf(record) };
  return { name: clusterName(record), ...kept, maintained, unfinished, ...more };
}

function namesOf({ current }: ClusterRecord): readonly string[] {
  return (current?.loadBalancers ?? []).flatMap(({ dns }) =>
    [dns.hostname, ...dns.alternativeNames].map((name) => nameInZone(name, dns.zone)),
  );
}

/** Outcome of each cluster, a sentence with it. */
export function outcomesOf(clusters: readonly SettledCluster[], runId: string): RunRecord['clusters'] {
  return Object.fromEntries(
    clusters.map((cluster) => [cluster.name, { status: cluster.status, message: messageOf(cluster, runId) }]),
  );
}

/** What failed in this run, as it is described from now on. `manifest`: as it is once it has settled. */
export function failureEvents(
  clusters: readonly SettledCluster[],
  manifest: FailedManifest,
  { runId, at }: { readonly runId: string; readonly at: string },
): readonly NewEvent[] {
  return clusters.flatMap((cluster) => {
    const { name, failure, heldPools = [] } = cluster;
    if (failure?.runId !== runId) return [];
    const others = heldPools.filter((held) => !isFailureOf(held, failure));
    const lines = [linesOfCluster(cluster, manifest), ...others.map((held) => linesOfPool(held, cluster, manifest))];
    const level = failure.code === 'Cancelled' ? { level: 'warning' as const } : {};
    const event = { kind: 'ClusterFailed' as const, ...level };
    return lines.flatMap((one) =>
      one === undefined
        ? []
        : [{ at, runId, cluster: name, ...event, level: levelOf(event), message: failureText(one) }],
    );
  });
}

/** The run did not bring about what was asked for apart from the manifest, and undid it: all is as the manifest asks for. */
export function undoneOutcome(clusters: readonly SettledCluster[], runId: string): SettleManifestOutput | undefined {
  const undone = clusters.filter(({ status, failure }) => status === 'Converged' && failure?.runId === runId);
  const [first] = undone;
  if (!first) return undefined;
  const names = undone.map(({ name, failure }) => `${name}: ${failure?.code}`).join(', ');
  const cause = `what was requested apart from the manifest failed, and what exists is as before (${names})`;
  return { outcome: 'failed', Error: first.failure?.code ?? 'StageFailed', Cause: cause.slice(0, 500) };
}

/** Done when the planner would change no cluster any more. */
export function outcomeOf(clusters: number, unfinished: readonly SettledCluster[]): SettleManifestOutput {
  const [first] = unfinished;
  if (!first) return { outcome: 'done', Error: '', Cause: '' };
  const names = unfinished.map((cluster) => `${cluster.name}: ${stateOf(cluster)}`).join(', ');
  const cause = `${unfinished.length} of ${counted(clusters, 'cluster')} did not reach the desired state (${names})`;
  return { outcome: 'failed', Error: first.failure?.code ?? 'StageFailed', Cause: cause.slice(0, 500) };
}

/**
 * Nothing failed: the manifest is paused, and what is left to do waits. Undefined when it is not so.
 */
export function pausedOutcome(
  manifest: ManifestRecord,
  runId: string,
  unfinished: readonly SettledCluster[],
): SettleManifestOutput | undefined {
  const waits = manifest.paused && unfinished.length > 0 && unfinished.every(({ failure }) => failure?.runId !== runId);
  return waits ? { outcome: 'paused', Error: '', Cause: '' } : undefined;
}

/** Only faults of services ended the run: it is not over, finish-run starts it again. */
export function brokenOutcome(
  summary: SettleManifestOutput,
  unfinished: readonly SettledCluster[],
  runId: string,
): SettleManifestOutput | undefined {
  const broke = unfinished.every(({ failure }) => failure?.class === 'platform' && failure.runId === runId);
  return summary.outcome === 'failed' && broke ? { ...summary, Error: 'ServiceUnavailable' } : undefined;
}

function stateOf({ status, heldPools = [] }: SettledCluster): string {
  if (status !== 'Degraded') return status;
  return `Degraded, only ${heldPools.length === 1 ? 'pool' : 'the pools'} ${listed(heldPools.map(({ pool }) => pool))} failed`;
}

const settled: ReadonlySet<ClusterRecord['status']> = new Set(['Degraded', 'RolledBack', 'NeedsAttention']);

function messageOf({ status, failure }: SettledCluster, runId: string): string {
  if (failure?.runId === runId)
    return `${failure.code}: ${failure.message} (${failureOutcomeText(failure)})`.slice(0, 1000);
  if (status === 'Converged') return 'in the desired state';
  if (failure && settled.has(status)) return `as before: ${failure.code}: ${failure.message}`.slice(0, 1000);
  return 'its execution ended without an outcome; a retry continues from what exists';
}
