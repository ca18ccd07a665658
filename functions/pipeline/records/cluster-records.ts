/** Cluster records as the pipeline writes them: each write is the next version, under the fence of the run. */
import type { ClusterRecord, ManifestKey, NewEvent } from '#contracts/records.ts';
import type { RunWork } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { allNodes, type ClusterFacts, type ClusterState, noFacts } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { type KindOf, levelOf, type Reported } from '#domain/event-kinds.ts';
import { nameOfCluster } from '#domain/naming.ts';
import type { Using } from '../../ports.ts';

export const keyOf = (run: ClusterRun): ManifestKey => ({ namespace: run.namespace, name: run.name });

/** A cluster without a stored record: version 0. */
export function newCluster(key: ManifestKey, cluster: string): ClusterRecord {
  return {
    namespace: key.namespace,
    manifest: key.name,
    cluster,
    version: 0,
    fence: 0,
    status: 'Planning',
    current: null,
    attempted: null,
    facts: noFacts,
    progress: null,
    failure: null,
    waypointPrefix: null,
    backOffs: 0,
  };
}

/** The record that follows. */
export function changed(record: ClusterRecord, run: ClusterRun, change: Partial<ClusterRecord>): ClusterRecord {
  return { ...record, ...change, version: record.version + 1, fence: run.fence };
}

/** The record of a cluster that is being worked on. Throws `NotFound`. */
export async function clusterOf(deps: Using<'clusters.get'>, run: ClusterRun): Promise<ClusterRecord> {
  const record = await deps.clusters.get(keyOf(run), run.cluster);
  if (record) return record;
  throw new PipelineError(
    'NotFound',
    `there is no stored record of cluster ${run.cluster} of ${run.namespace}/${run.name}`,
  );
}

export function clusterName(record: Pick<ClusterRecord, 'cluster' | 'current' | 'attempted'>): string {
  return record.current?.name ?? record.attempted?.name ?? nameOfCluster(record.cluster);
}

/** What is known of nodes and load balancers that the state has; the rest is forgotten. */
export function factsOf(state: ClusterState | null, known: ClusterFacts): ClusterFacts {
  if (state === null) return noFacts;
  const { failedPools: _failed, ...facts } = known;
  const nodes = new Set(allNodes(state).map(({ node }) => node.name));
  const loadBalancers = new Set(state.loadBalancers.map(({ name }) => name));
  const kept = <Value>(known: Record<string, Value>, names: ReadonlySet<string>): Record<string, Value> =>
    Object.fromEntries(Object.entries(known).filter(([name]) => names.has(name)));
  return {
    ...facts,
    nodes: kept(facts.nodes, nodes),
    loadBalancers: kept(facts.loadBalancers, loadBalancers),
  };
}

/** What a check has found since the last change; one from before says nothing about the cluster as it is. */
export function driftSinceChange({ drift, lastChange }: ClusterRecord): ClusterRecord['drift'] {
  return drift && drift.checkedAt >= (lastChange?.at ?? '') ? drift : undefined;
}

export type ClusterEvent = Reported<KindOf<'cluster'>> | (Reported<KindOf<'stage'>> & { readonly stage: RunWork });

/** Adds them to the events of the manifest. */
export async function reportEvents(
  deps: Using<'events.append'>,
  run: ClusterRun,
  at: string,
  events: readonly ClusterEvent[],
): Promise<void> {
  await deps.events.append(
    keyOf(run),
    events.map((event) => clusterEvent(run, at, event)),
  );
}

/** Something that happened to a cluster, for people. */
export function clusterEvent(run: Pick<ClusterRun, 'runId' | 'cluster'>, at: string, event: ClusterEvent): NewEvent {
  return { at, runId: run.runId, cluster: nameOfCluster(run.cluster), ...event, level: levelOf(event) };
}
