/** A change that takes long pauses between two waypoints for a check: a machine that is gone does not wait for its end. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import { driftChecksOf } from './drift-policy.ts';
import { type ExistingRecord, isCheckable } from './maintained-cluster.ts';

const minuteMs = 60_000;
/** Between two checks, whatever the nodes need: the change continues in between. */
const pauseMinutes = 5;

/**
 * Between two waypoints of this run, at the normal interval since its start or the last check, or when an unhealthy node is to be compared
 * again. Not while a waypoint is repeated, nor while the cluster is deleted.
 */
export function wantsMidwayCheck(
  manifest: ManifestRecord,
  run: ClusterRun,
  record: ClusterRecord,
  now: string,
): record is ExistingRecord {
  const { progress, attempted, drift, status } = record;
  // A deletion continues also where its document can no longer be read.
  if (manifest.deleting || attempted !== null || !isCheckable(record)) return false;
  // Whatever the check came to, the next waypoint follows it.
  if (progress?.runId !== run.runId || status === 'Checking') return false;
  const minutes = intervalMinutes(driftChecksOf(manifest).interval);
  if (minutes === undefined) return false;
  const last = Math.max(Date.parse(progress.startedAt), Date.parse(drift?.checkedAt ?? progress.startedAt));
  const again = drift?.lookAgainAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(drift.lookAgainAt);
  const due = Math.max(last + pauseMinutes * minuteMs, Math.min(last + minutes * minuteMs, again));
  return Date.parse(now) >= due;
}

/** This check was one: it decides about machines that are gone, and about nothing else. */
export function isMidway(manifest: ManifestRecord, run: ClusterRun, { drift }: ClusterRecord): boolean {
  const newest = manifest.runId === run.runId && manifest.generation === run.generation;
  return newest && manifest.check === undefined && drift?.repair?.state !== 'made';
}
