/** Paths of this API, and the way from the artifact prefix of a stage's attempt to them. */
import type { ManifestKey } from '#contracts/records.ts';
import { type StageMode, waypointKeys } from '#contracts/stage.ts';
import { RunnerStage } from '#domain/plan.ts';

/** One attempt of one stage: what a log belongs to. */
export interface StageAttempt extends ManifestKey {
  readonly run: string;
  /** Id of the cluster; in paths of the API its name does as well. */
  readonly cluster: string;
  readonly waypoint: string;
  readonly stage: RunnerStage;
  readonly mode: StageMode;
  readonly attempt: number;
}

export function manifestPath(key: ManifestKey): string {
  return `/v1/manifests/${key.namespace}/${key.name}`;
}

export function runPath(key: ManifestKey, run: string): string {
  return `${manifestPath(key)}/runs/${run}`;
}

/** `cluster`: its name or id. */
export function clusterPath(record: { namespace: string; manifest: string }, cluster: string): string {
  return `${manifestPath({ namespace: record.namespace, name: record.manifest })}/clusters/${cluster}`;
}

export function logPath(at: StageAttempt): string {
  const stage = `${at.stage}${at.mode === 'undo' ? '-undo' : ''}`;
  return `${runPath(at, at.run)}/logs/${at.cluster}/${at.waypoint}/${stage}/${at.attempt}`;
}

/** A check of a provider instance's credentials. */
export function checkPath(instance: ManifestKey & { readonly provider: string }, id: string): string {
  return `${manifestPath(instance)}/providers/${instance.provider}/checks/${id}`;
}

/** Links of an answer about a manifest. */
export function linksOf(key: ManifestKey, run: string): Record<string, string> {
  return {
    manifest: manifestPath(key),
    run: runPath(key, run),
    runs: `${manifestPath(key)}/runs`,
    events: `${manifestPath(key)}/events`,
    logs: `${runPath(key, run)}/logs`,
  };
}

/** Artifact prefix of everything that a run's tools left. */
export function runPrefix(key: ManifestKey, run: string): string {
  return `runs/${key.namespace}/${key.name}/${run}/`;
}

/** Artifact prefix of an attempt. */
export function attemptPrefix(at: StageAttempt): string {
  return waypointKeys.attempt(`${runPrefix(at, at.run)}${at.cluster}/${at.waypoint}`, at.stage, at.mode, at.attempt);
}

const shape = /^runs\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\/(w\d+)\/([a-z]+)(-undo)?\/(\d+)$/;

/** The attempt that an artifact prefix names; undefined when it names none. */
export function attemptOfPrefix(prefix: string): StageAttempt | undefined {
  const [, namespace, name, run, cluster, waypoint, stage, undo, attempt] = shape.exec(prefix) ?? [];
  const known = RunnerStage.safeParse(stage);
  if (!namespace || !name || !run || !cluster || !waypoint || !known.success) return undefined;
  const mode = undo === undefined ? 'do' : 'undo';
  return { namespace, name, run, cluster, waypoint, stage: known.data, mode, attempt: Number(attempt) };
}
