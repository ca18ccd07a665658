/** What follows from a plan: records of a cluster that is where it should be, or that goes no further. */
import type {
  ClusterFailure,
  ClusterRecord,
  DemandRecord,
  HeldPool,
  ManifestRecord,
  NewEvent,
} from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import type { Refusal } from '#domain/plan.ts';
import type { Using } from '../../ports.ts';
import { movedOf, planMovedError } from '../plans/bound-plan.ts';
import { heldBy } from '../plans/cluster-plans.ts';
import { cancelled } from '../records/cancellation.ts';
import { changed, clusterEvent, newCluster } from '../records/cluster-records.ts';

/** Nothing is left to do: the cluster is in the desired state, or as close to it as possible without the failed pools. */
export function reachedRecord(
  run: ClusterRun,
  manifest: ManifestRecord,
  { unreached: _, ...record }: ClusterRecord,
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

interface RefusalQuestion {
  readonly record: ClusterRecord;
  readonly demand: DemandRecord | undefined;
  /** Refusals of the planner. */
  readonly refusals: readonly Refusal[];
  readonly now: string;
}

/** The record of a cluster whose plan is refused or differs from the plan that the run is bound to; undefined when the run continues. */
export function refusedOf(
  run: ClusterRun,
  manifest: ManifestRecord,
  { record, demand, refusals, now }: RefusalQuestion,
): ClusterRecord | undefined {
  const moved = movedOf(manifest, record, demand);
  if (moved.length > 0) return planMovedRecord(run, manifest, { record, moved, now });
  return refusals.length > 0 ? refusedRecord(run, record, refusals, now) : undefined;
}

/** What exists keeps running; the reasons are for the user. */
function refusedRecord(
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
function planMovedRecord(
  run: ClusterRun,
  manifest: ManifestRecord,
  { record, moved, now }: { readonly record: ClusterRecord; readonly moved: readonly string[]; readonly now: string },
): ClusterRecord {
  return stoppedRecord(run, record, planMovedError(manifest, moved), now);
}

/** Stops a run whose plan has changed: it touches none of its clusters. Returns what is reported about them. */
export async function refuseMoved(
  deps: Using<'clusters.get' | 'clusters.put'>,
  manifest: ManifestRecord,
  { clusters, moved, fence, now }: MovedPlan,
): Promise<readonly NewEvent[]> {
  const { namespace, name, runId, generation, attempt } = manifest;
  const refusing = clusters.map(async ({ cluster }) => {
    const run = { namespace, name, runId, generation, attempt, fence, cluster };
    const record = (await deps.clusters.get(manifest, cluster)) ?? newCluster(manifest, cluster);
    const refused = planMovedRecord(run, manifest, { record, moved, now });
    await deps.clusters.put({ ...refused, status: 'NeedsAttention' });
    return clusterEvent(run, now, { kind: 'NeedsAttention', message: refused.failure?.message ?? '' });
  });
  return Promise.all(refusing);
}

interface MovedPlan {
  readonly clusters: readonly { readonly cluster: string }[];
  readonly moved: readonly string[];
  readonly fence: number;
  readonly now: string;
}

/** Between two waypoints there is nothing to undo. */
export function cancelledRecord(run: ClusterRun, record: ClusterRecord, now: string): ClusterRecord {
  const before = record.failure?.runId === run.runId ? record.failure : undefined;
  return stoppedRecord(run, record, cancelled('before its next waypoint', before), now);
}

function stoppedRecord(run: ClusterRun, record: ClusterRecord, error: StageError, now: string): ClusterRecord {
  return changed(record, run, { failure: { ...error, runId: run.runId, at: now, outcome: { kind: 'unchanged' } } });
}

function degradedFailure(run: ClusterRun, held: readonly HeldPool[], now: string): ClusterFailure | null {
  const [first] = held;
  if (!first) return null;
  const outcome = { kind: 'degraded' as const, pools: held.map(({ pool }) => pool) };
  return { ...first.failure, stage: 'infrastructure', runId: run.runId, at: now, outcome };
}

function withoutStage(progress: ClusterRecord['progress']): ClusterRecord['progress'] {
  if (progress === null) return null;
  const { stage: _stage, ...rest } = progress;
  return rest;
}
