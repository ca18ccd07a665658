/** What travels between states: ids, keys and small words; never manifests, states or secrets. */
import { z } from 'zod';
import { Direction, StageName } from '#domain/plan.ts';
import { StageMode } from './stage.ts';

/** Input of `reconcile-manifest`. */
export const ReconcileManifestInput = z.object({ namespace: z.string(), name: z.string() });
export type ReconcileManifestInput = z.infer<typeof ReconcileManifestInput>;

/** Take Lease. `executionArn` comes from the context object. */
export const TakeLeaseInput = ReconcileManifestInput.extend({ executionArn: z.string() });
export const TakeLeaseOutput = z.object({ held: z.boolean(), fence: z.number().int() });

/** Plan Manifest. */
export const PlanManifestInput = ReconcileManifestInput.extend({ fence: z.number().int(), executionArn: z.string() });
export const PlanManifestOutput = z.object({
  runId: z.string(),
  generation: z.number().int(),
  attempt: z.number().int(),
  hasWork: z.boolean(),
  /** One item for each cluster that is wished for or stands. */
  clusters: z.array(z.object({ cluster: z.string() })),
});

/** Input of `reconcile-cluster`, and of the Map item that starts it. */
export const ReconcileClusterInput = z.object({
  namespace: z.string(),
  name: z.string(),
  runId: z.string(),
  generation: z.number().int(),
  fence: z.number().int(),
  cluster: z.string(),
});
export type ReconcileClusterInput = z.infer<typeof ReconcileClusterInput>;

/** What run-stage needs to know of one stage; `project` is '' when there is no work. */
export const StageSlot = z.object({ hasWork: z.boolean(), project: z.string() });

/** Plan Cluster: the next waypoint. `direction` 'none' = converged, 'refused' = see the record's failure. */
export const PlanClusterOutput = z.object({
  direction: z.union([Direction, z.literal('none'), z.literal('refused')]),
  waypointPrefix: z.string(),
  stages: z.record(StageName, StageSlot),
  undo: z.record(z.enum(['kubernetes', 'configuration', 'infrastructure']), StageSlot),
});
export type PlanClusterOutput = z.infer<typeof PlanClusterOutput>;

/** Input of `run-stage`. */
export const RunStageInput = ReconcileClusterInput.extend({
  waypointPrefix: z.string(),
  stage: StageName,
  mode: StageMode,
  hasWork: z.boolean(),
  project: z.string(),
  attempt: z.number().int().min(1),
});
export type RunStageInput = z.infer<typeof RunStageInput>;

/** Collect Result. */
export const CollectResultOutput = z.object({
  outcome: z.enum(['succeeded', 'retry', 'failed']),
  /** Number of the next try. */
  attempt: z.number().int(),
  pauseSeconds: z.number().int(),
  error: z.string(),
  cause: z.string(),
});

/** Assess Failure. */
export const AssessFailureInput = ReconcileClusterInput.extend({ failedStage: z.string(), error: z.unknown() });
export const AssessFailureOutput = z.object({
  decision: z.enum(['rollBack', 'backOff', 'stop']),
  /** Rung of the ladder where the rollback starts. */
  rung: z.enum(['kubernetes', 'configuration', 'infrastructure']),
  pauseSeconds: z.number().int(),
});

/** Settle Manifest. */
export const SettleManifestOutput = z.object({ outcome: z.enum(['newer', 'done', 'failed']) });
