/** Records for contract suites and pipeline tests: plain, whole, every field overridable. */
import type { ClusterRecord, DemandRecord, ManifestRecord, NewEvent, RunRecord } from '#contracts/records.ts';
import { noFacts } from '#domain/cluster-state.ts';
import { noDemand } from '#domain/demand.ts';

export const key = { namespace: 'team', name: 'shop' };

export const noon = '2026-11-20T12:00:00.000Z';

/** Minutes after noon. */
export const minute = (minutes: number): string => new Date(Date.parse(noon) + minutes * 60_000).toISOString();

export const term = (fromMinute: number) => ({
  now: minute(fromMinute),
  dueAt: minute(fromMinute + 30),
  expiresAt: minute(fromMinute + 60),
});

export function aManifest(change: Partial<ManifestRecord> = {}): ManifestRecord {
  return {
    ...key,
    uid: 'abcde',
    generation: 1,
    attempt: 1,
    document: { kind: 'InputManifest', spec: {} },
    checksum: 'c1',
    deleting: false,
    status: 'Pending',
    runId: 'shop-abcde-g1-a1',
    lease: null,
    fence: 0,
    createdAt: noon,
    updatedAt: noon,
    dueAt: minute(2),
    ...change,
  };
}

export function aCluster(change: Partial<ClusterRecord> = {}): ClusterRecord {
  return {
    namespace: key.namespace,
    manifest: key.name,
    cluster: 'web-1234567',
    version: 1,
    fence: 1,
    status: 'Planning',
    current: null,
    attempted: null,
    facts: noFacts,
    progress: null,
    failure: null,
    waypointPrefix: null,
    backOffs: 0,
    ...change,
  };
}

export function aDemand(change: Partial<DemandRecord> = {}): DemandRecord {
  const { namespace, name: manifest } = key;
  return { namespace, manifest, cluster: 'web-1234567', version: 1, ...noDemand, ...change };
}

export function aRun(change: Partial<RunRecord> = {}): RunRecord {
  return {
    namespace: key.namespace,
    manifest: key.name,
    runId: 'shop-abcde-g1-a1',
    generation: 1,
    attempt: 1,
    reason: 'the manifest was changed',
    status: 'Queued',
    queuedAt: noon,
    clusters: {},
    ...change,
  };
}

export function anEvent(change: Partial<NewEvent> = {}): NewEvent {
  return { at: noon, runId: 'shop-abcde-g1-a1', level: 'info', kind: 'PlanMade', message: 'two steps', ...change };
}
