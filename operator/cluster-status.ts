/** What Kubeloom says of a manifest, in Claudie's words of the status in Kubernetes; its conditions are in conditions.ts. Pure. */

import type { z } from 'zod';
import type { ClusterDescription, ManifestDescription, Run } from '#contracts/api-bodies.ts';
import { failureText, reportedLines } from '#domain/failure-lines.ts';
import { counted } from '#domain/words.ts';
import type { ObjectStatus, ObservedCluster } from './object-status.ts';

type Description = ManifestDescription;

/** Its last run is one; they are counted to the base of 36. */
export const isDriftCheck = ({ runId }: Pick<Description, 'runId'>): boolean => /-g\d+-d[0-9a-z]+$/.test(runId);

/** A drift check does not change the reported status: the manifest stays done or failed, and its clusters are not reported as working. */
export function reportedStatus(manifest: Description): Description['status'] {
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
    message: manifestMessage(manifest),
    clusters: Object.fromEntries(clusters),
    runId: manifest.runId,
    manifestGeneration: manifest.generation,
  };
}

/** As Claudie's operator has it: `DONE` when the run has ended, then `WATCHING_FOR_CHANGES` until something happens. A paused one watches nothing. */
export function restingState(
  state: ObjectStatus['state'],
  manifest: Pick<Description, 'runId' | 'paused'>,
  before: Pick<ObjectStatus, 'state' | 'runId'>,
): ObjectStatus['state'] {
  if (state !== 'DONE' || manifest.paused || !atRest(before.state)) return state;
  return before.runId === manifest.runId || isDriftCheck(manifest) ? 'WATCHING_FOR_CHANGES' : state;
}

export const atRest = (state: ObjectStatus['state']): boolean => state === 'DONE' || state === 'WATCHING_FOR_CHANGES';

function stateOf(manifest: Description): ObjectStatus['state'] {
  if (manifest.deleting) return 'SCHEDULED_FOR_DELETION';
  const status = reportedStatus(manifest);
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

/** What it is at; of each failure three lines. */
export function manifestMessage(manifest: Description): string {
  const { progress, clusters, unreadable, paused } = manifest;
  const status = reportedStatus(manifest);
  if (unreadable !== undefined) return unreadable;
  if (status === 'Failed') return clusters.flatMap(problemsOf).join('\n') || lastWord(manifest) || 'the run failed';
  if (paused) return `paused: \`kubeloom resume ${manifest.name}\` continues it`;
  if (status !== 'Done')
    return progress ? `step ${progress.step} of ${progress.steps}, ${progress.percent} %` : 'waits for its run';
  const nodes = clusters.reduce((sum, one) => sum + one.nodes.length, 0);
  const behind = (manifest.behind ?? []).map(({ change, because }) => [change, because].filter(Boolean).join(': '));
  const late = behind.length === 0 ? '' : `; behind its templates: ${behind.join('; ')}`;
  return `${counted(clusters.length, 'cluster')}, ${counted(nodes, 'node')}${late}`;
}

const lastWord = ({ lastRun }: Description): string | undefined =>
  Object.values(lastRun?.clusters ?? {}).find(({ message }) => message !== '')?.message;

/** Three lines for its failure, and for each pool that failed of something else. */
export function problemsOf({ name, failure, heldPools }: ClusterDescription): readonly string[] {
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
