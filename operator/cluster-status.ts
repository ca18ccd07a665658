/** What Kubeloom says of a manifest, in the words of the status in Kubernetes. Pure. */

import type { z } from 'zod';
import type { ClusterDescription, ManifestDescription, Run } from '#contracts/api-bodies.ts';
import { failureText, reportedLines } from '#domain/failure-lines.ts';
import { counted } from '#domain/words.ts';
import type { ConditionType, ObjectCondition, ObjectStatus, ObservedCluster } from './object-status.ts';

type Description = ManifestDescription;

/** Its last run is one; they are counted to the base of 36. */
export const isDriftCheck = ({ runId }: Pick<Description, 'runId'>): boolean => /-g\d+-d[0-9a-z]+$/.test(runId);

/** A drift check does not change the reported status: the manifest stays done or failed, and its clusters are not reported as working. */
function statusOf(manifest: Description): Description['status'] {
  const { status, clusters, failed } = manifest;
  if (!isDriftCheck(manifest) || status === 'Failed') return status;
  const works = clusters.some((one) => working.has(one.status));
  return works ? status : failed ? 'Failed' : 'Done';
}

const working: ReadonlySet<ClusterDescription['status']> = new Set([
  'Planning',
  'Running',
  'RollingBack',
  'BackingOff',
]);

type StageName = NonNullable<NonNullable<ClusterDescription['progress']>['stage']>;

const stages: Readonly<Record<StageName, { readonly phase: ObservedCluster['phase']; readonly doing: string }>> = {
  infrastructure: { phase: 'TERRAFORMER', doing: 'building infrastructure' },
  configuration: { phase: 'ANSIBLER', doing: 'connecting and preparing nodes' },
  kubernetes: { phase: 'KUBE_ELEVEN', doing: 'building Kubernetes' },
  nodes: { phase: 'KUBER', doing: 'finishing nodes' },
  traffic: { phase: 'ANSIBLER', doing: 'directing traffic' },
};

/** The part of the status that follows from the manifest in Kubeloom. */
export function manifestStatus(
  manifest: Description,
  runs: readonly z.infer<typeof Run>[],
): Pick<ObjectStatus, 'state' | 'message' | 'clusters' | 'runId' | 'manifestGeneration'> {
  const clusters = manifest.clusters.map((one) => [one.name, clusterState(manifest, one, runs)] as const);
  return {
    state: stateOf(manifest),
    message: messageOf(manifest),
    clusters: Object.fromEntries(clusters),
    runId: manifest.runId,
    manifestGeneration: manifest.generation,
  };
}

function stateOf(manifest: Description): ObjectStatus['state'] {
  if (manifest.deleting) return 'SCHEDULED_FOR_DELETION';
  const status = statusOf(manifest);
  switch (status) {
    case 'Pending':
    case 'Running':
    case 'Deleting':
      return 'IN_PROGRESS';
    case 'Done':
      return 'DONE';
    case 'Failed':
    case 'Unreadable':
      return 'ERROR';
    default:
      return status satisfies never;
  }
}

function messageOf(manifest: Description): string {
  const { progress, clusters, unreadable, paused } = manifest;
  const status = statusOf(manifest);
  if (unreadable !== undefined) return unreadable;
  if (status === 'Failed') return clusters.flatMap(problemsOf).join('\n') || lastWord(manifest) || 'the run failed';
  if (paused) return `paused: \`kubeloom resume ${manifest.name}\` continues it`;
  if (status !== 'Done')
    return progress ? `step ${progress.step} of ${progress.steps}, ${progress.percent} %` : 'waits for its run';
  const nodes = clusters.reduce((sum, one) => sum + one.nodes.length, 0);
  return `${counted(clusters.length, 'cluster')}, ${counted(nodes, 'node')}`;
}

const lastWord = ({ lastRun }: Description): string | undefined =>
  Object.values(lastRun?.clusters ?? {}).find(({ message }) => message !== '')?.message;

/** Three lines for its failure, and for each pool that failed of something else. */
function problemsOf({ name, failure, heldPools }: ClusterDescription): readonly string[] {
  const pools = heldPools.flatMap(({ pool, reason, lines }) => {
    if (failure && reason.includes(failure.message)) return [];
    return [lines === undefined ? `pool ${pool}: ${reason}` : failureText(lines)];
  });
  return failure ? [failureText(reportedLines(failure, name)), ...pools] : pools;
}

function clusterState(
  manifest: Description,
  cluster: ClusterDescription,
  runs: readonly z.infer<typeof Run>[],
): ObservedCluster {
  const { progress, failure, nodes } = cluster;
  const state = stateOfCluster(manifest, cluster);
  const stage = state === 'IN_PROGRESS' ? progress?.stage : (failure?.stage ?? null);
  const working = progress?.stage
    ? `${stages[progress.stage].doing} (${progress.direction}, step ${progress.step} of ${progress.steps}, ${progress.percent} %)`
    : 'planning';
  const ended = problemsOf(cluster).join('\n') || `${nodes.length} nodes`;
  const ofCluster = runs.filter((run) => run.endedAt !== undefined && run.clusters[cluster.name] !== undefined);
  return {
    state,
    phase: state === 'DONE' || !stage ? 'NONE' : stages[stage].phase,
    message: state === 'IN_PROGRESS' ? working : state === 'WAIT_FOR_PICKUP' ? 'waits for its run' : ended,
    previous: ofCluster.slice(0, 3).map((run) => ({
      status: run.status === 'Succeeded' ? 'DONE' : 'ERROR',
      stage: run.clusters[cluster.name]?.status ?? 'Unknown',
      taskDescription: run.clusters[cluster.name]?.message || run.reason,
      timestamp: run.endedAt ?? run.queuedAt,
    })),
  };
}

function stateOfCluster(
  { status: manifest, failed }: Description,
  { status, failure, heldPools }: ClusterDescription,
): ObservedCluster['state'] {
  switch (status) {
    case 'Planning':
    case 'Running':
    case 'RollingBack':
    case 'BackingOff':
      return 'IN_PROGRESS';
    case 'Checking':
      if (failed && failure !== null) return 'ERROR';
      return manifest === 'Pending' ? 'WAIT_FOR_PICKUP' : 'DONE';
    case 'Converged':
      return manifest === 'Pending' ? 'WAIT_FOR_PICKUP' : 'DONE';
    case 'Degraded':
      return heldPools.length > 0 ? 'ERROR' : 'DONE';
    case 'RolledBack':
    case 'NeedsAttention':
      return manifest === 'Pending' ? 'WAIT_FOR_PICKUP' : 'ERROR';
    default:
      return status satisfies never;
  }
}

type Finding = readonly [type: ConditionType, status: ObjectCondition['status'], reason: string, message: string];

/** All conditions but `Accepted`, which is about the document. */
export function manifestFindings(manifest: Description): readonly Finding[] {
  const { clusters, deleting } = manifest;
  const status = statusOf(manifest);
  const message = messageOf(manifest);
  const progressing = status === 'Pending' || status === 'Running' || status === 'Deleting';
  const degraded = clusters.filter((one) => one.status === 'Degraded' || one.heldPools.length > 0);
  const failing = clusters.filter((one) => one.failure !== null || one.status === 'NeedsAttention');
  const bad = [...new Set([...degraded, ...failing])];
  const drifted = clusters.filter(({ drift }) => (drift?.items.length ?? 0) > 0);
  const checked = clusters.length > 0 && clusters.every(({ drift }) => drift !== null);
  const drift = drifted.flatMap(({ name, drift: found }) =>
    (found?.items ?? []).map((item) => `${name}: ${item.message}`),
  );
  return [
    ['Ready', status === 'Done' && !deleting ? 'True' : 'False', deleting ? 'Deleting' : status, message],
    ['Progressing', progressing ? 'True' : 'False', manifest.paused ? 'Paused' : status, message],
    bad.length > 0
      ? ['Degraded', 'True', degraded.length > 0 ? 'PoolsHeld' : 'Failed', cut(bad.flatMap(problemsOf).join('\n'))]
      : ['Degraded', 'False', 'AsDesired', 'nothing failed'],
    drift.length > 0
      ? ['DriftFree', 'False', 'Drift', cut(drift.join('; '))]
      : [
          'DriftFree',
          checked ? 'True' : 'Unknown',
          checked ? 'Checked' : 'NotChecked',
          checked ? 'the last check found nothing' : 'there was no check yet',
        ],
  ];
}

/** Kubernetes takes 32 KiB; no one reads that much. */
export const cut = (text: string): string => (text.length > 4000 ? `${text.slice(0, 3999)}…` : text);

/** The conditions as they are from now on: the time of a change is kept while the status is the same. */
export function conditionsOf(
  before: readonly ObjectCondition[],
  findings: readonly Finding[],
  { now, generation }: { readonly now: string; readonly generation: number },
): readonly ObjectCondition[] {
  const changed = findings.map(([type, status, reason, message]) => {
    const old = before.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
    return { type, status, reason, message: cut(message), lastTransitionTime, observedGeneration: generation };
  });
  const kept = before.filter(({ type }) => !changed.some((one) => one.type === type));
  const order = (one: ObjectCondition): number => findingsOrder.indexOf(one.type);
  return [...kept, ...changed].toSorted((one, other) => order(one) - order(other));
}
const findingsOrder: readonly ConditionType[] = ['Accepted', 'Ready', 'Progressing', 'Degraded', 'DriftFree'];

export type { Finding };
