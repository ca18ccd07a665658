/** Paths of this API, and the way from the artifact prefix of a stage's attempt to them. */
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { RunWork, type StageMode, waypointKeys } from '#contracts/stage.ts';

/** One attempt of one stage: what a log belongs to. */
export interface StageAttempt extends ManifestKey {
  readonly run: string;
  /** Id of the cluster; in paths of the API its name does as well. */
  readonly cluster: string;
  readonly waypoint: string;
  readonly stage: RunWork;
  readonly mode: StageMode;
  readonly attempt: number;
}

export function logPath(at: StageAttempt): string {
  return pathOf(operations.getLog, { ...at, stage: `${at.stage}${at.mode === 'undo' ? '-undo' : ''}` });
}

/** Links of an answer about a manifest. */
export function linksOf(key: ManifestKey, run: string): Record<string, string> {
  return {
    manifest: pathOf(operations.getManifest, key),
    run: pathOf(operations.getRun, { ...key, run }),
    runs: pathOf(operations.listRuns, key),
    events: pathOf(operations.listEvents, key),
    logs: pathOf(operations.listLogs, { ...key, run }),
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
  const known = RunWork.safeParse(stage);
  if (!namespace || !name || !run || !cluster || !waypoint || !known.success) return undefined;
  const mode = undo === undefined ? 'do' : 'undo';
  return { namespace, name, run, cluster, waypoint, stage: known.data, mode, attempt: Number(attempt) };
}
