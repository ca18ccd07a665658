/** What follows from a plan: records of a cluster that is where it should be, or that goes no further. */
import type { ClusterFailure, ClusterRecord, HeldPool, ManifestRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import type { Refusal } from '#domain/plan.ts';
import { listed } from '#domain/planning/text/words.ts';
import { planMovedError } from '../plans/bound-plan.ts';
import { cancelled } from '../runs/cancellation.ts';
import { heldBy } from './cluster-plans.ts';
import { changed } from './cluster-records.ts';

/** Nothing is left to do: the cluster is in the desired state, or as close to it as possible without the failed pools. */
export function reachedRecord(
  run: ClusterRun,
  manifest: ManifestRecord,
  record: ClusterRecord,
  now: string,
): ClusterRecord {
  const held = heldBy(manifest, record);
  const { progress } = record;
  const ended = progress && { ...progress, step: progress.steps, updatedAt: now };
  return changed(record, run, {
    status: held.length > 0 ? 'Degraded' : 'Converged',
    failure: degradedFailure(run, held, now),
    backOffs: 0,
    heldPools: [...held],
    progress: withoutStage(ended),
  });
}

/** What exists keeps running; the reasons are for the user. */
export function refusedRecord(
  run: ClusterRun,
  record: ClusterRecord,
  refusals: readonly Refusal[],
  now: string,
): ClusterRecord {
  const reasons = refusals.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  const fixes = [...new Set(refusals.map(({ fix }) => fix))].join('; ');
  const error = { class: 'user', code: 'PlanRefused', message: reasons.slice(0, 2000), hint: fixes } as const;
  return stoppedRecord(run, record, { ...error, retryable: false }, now);
}

/** The plan that the run is bound to is not the one that would be carried out now. */
export function planMovedRecord(
  run: ClusterRun,
  manifest: ManifestRecord,
  { record, moved, now }: { readonly record: ClusterRecord; readonly moved: readonly string[]; readonly now: string },
): ClusterRecord {
  return stoppedRecord(run, record, planMovedError(manifest, moved), now);
}

/** Between two waypoints there is nothing to undo. */
export function cancelledRecord(run: ClusterRun, record: ClusterRecord, now: string): ClusterRecord {
  const before = record.failure?.runId === run.runId ? record.failure : undefined;
  return stoppedRecord(run, record, cancelled('before its next waypoint', before), now);
}

function stoppedRecord(run: ClusterRun, record: ClusterRecord, error: StageError, now: string): ClusterRecord {
  return changed(record, run, { failure: { ...error, runId: run.runId, at: now, outcome: 'nothing was changed' } });
}

function degradedFailure(run: ClusterRun, held: readonly HeldPool[], now: string): ClusterFailure | null {
  const [first] = held;
  if (!first) return null;
  const pools = listed(held.map(({ pool }) => pool));
  const outcome = `only ${held.length === 1 ? 'pool' : 'the pools'} ${pools} failed, and nothing of ${held.length === 1 ? 'it' : 'them'} is left; everything else is as the manifest asks for. A retry or a changed manifest tries again`;
  return { ...first.failure, stage: 'infrastructure', runId: run.runId, at: now, outcome };
}

function withoutStage(progress: ClusterRecord['progress']): ClusterRecord['progress'] {
  if (progress === null) return null;
  const { stage: _stage, ...rest } = progress;
  return rest;
}
