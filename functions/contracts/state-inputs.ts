/** Inputs and outputs of states: ids, keys and small words; never manifests, cluster states or secrets. */
import { z } from 'zod';
import { Direction, StageName, type UndoRung, undoRungs } from '#domain/plan.ts';
import { RunWork, StageMode } from './stage.ts';

/** The output of Catch and the input of Fail; the names are those of Step Functions. */
export const StateError = z.object({ Error: z.string(), Cause: z.string() });
export type StateError = z.infer<typeof StateError>;

// ---- reconcile-manifest --------------------------------------------------------------------------------------

/** Its input, also when the API or the scheduler starts it. */
export const ReconcileManifestInput = z.object({ namespace: z.string(), name: z.string() });

/** `executionArn` comes from the context object: it is the owner of the lease. */
export const TakeLeaseInput = ReconcileManifestInput.extend({ executionArn: z.string() });
export const TakeLeaseOutput = z.object({ held: z.boolean(), fence: z.number().int() });
export type TakeLeaseOutput = z.infer<typeof TakeLeaseOutput>;

export const PlanManifestInput = ReconcileManifestInput.extend({ fence: z.number().int() });
export const PlanManifestOutput = z.object({
  runId: z.string(),
  generation: z.number().int(),
  attempt: z.number().int(),
  hasWork: z.boolean(),
  /** One item for each cluster that is not as it should be. */
  clusters: z.array(z.object({ cluster: z.string() })),
});
export type PlanManifestOutput = z.infer<typeof PlanManifestOutput>;

export const SettleManifestInput = PlanManifestInput.extend({
  runId: z.string(),
  generation: z.number().int(),
  attempt: z.number().int(),
});
export const SettleManifestOutput = StateError.extend({ outcome: z.enum(['newer', 'done', 'paused', 'failed']) });
export type SettleManifestOutput = z.infer<typeof SettleManifestOutput>;

// ---- reconcile-cluster ---------------------------------------------------------------------------------------

/** One cluster in one run: goes through all states unchanged. */
export const ClusterRun = z.object({
  namespace: z.string(),
  name: z.string(),
  runId: z.string(),
  generation: z.number().int(),
  attempt: z.number().int(),
  fence: z.number().int(),
  /** Its id. */
  cluster: z.string(),
});
export type ClusterRun = z.infer<typeof ClusterRun>;

/** Input of `reconcile-cluster`. */
export const ReconcileClusterInput = z.object({ run: ClusterRun });
export type ReconcileClusterInput = z.infer<typeof ReconcileClusterInput>;

/** Plan Cluster. `stopped`: the waypoint whose builds Stop Builds has seen end. */
export const PlanClusterInput = ReconcileClusterInput.extend({
  stopped: z.object({ waypoint: z.string().nullable() }).optional(),
});
export type PlanClusterInput = z.infer<typeof PlanClusterInput>;

/** Everything `run-stage` needs to know of one stage; `project` is '' when there is no work. */
export const StageRequest = z.object({
  stage: RunWork,
  mode: StageMode,
  hasWork: z.boolean(),
  project: z.string(),
  /** What its container is made of; absent: whatever the project names. */
  image: z.string().optional(),
  /** Name of its execution; absent without work, and in inputs of 0.1.0, whose executions have none. */
  execution: z.string().optional(),
  waypointPrefix: z.string(),
  /** Steps of the run that are done when this stage is. */
  step: z.number().int(),
  /** The next stage that has work. */
  next: StageName.optional(),
});
export type StageRequest = z.infer<typeof StageRequest>;

const rungs = Object.keys(undoRungs) as [UndoRung, ...UndoRung[]];

/**
 * Plan Cluster: the next waypoint. `direction` 'none' = nothing to do, 'refused' = see the record's failure, 'check' = look for drift,
 * 'wait' = it pauses for nodes. */
export const PlanClusterOutput = z.object({
  direction: z.union([Direction, z.enum(['none', 'refused', 'check', 'wait'])]),
  waypointPrefix: z.string(),
  do: z.record(RunWork, StageRequest),
  undo: z.record(z.enum(rungs), StageRequest),
});
export type PlanClusterOutput = z.infer<typeof PlanClusterOutput>;

/** The same as it comes back: executions that an earlier version started have no slot for stages that are new since. */
export const PlanInput = PlanClusterOutput.extend({ do: z.partialRecord(RunWork, StageRequest) });
export type PlanInput = z.infer<typeof PlanInput>;

/** Commit Waypoint, and what all states after Plan Cluster have in common. */
export const WaypointInput = ReconcileClusterInput.extend({ plan: PlanInput });

/** Record Drift. `checkFailure`: the check could not be made. */
export const RecordDriftInput = WaypointInput.extend({ checkFailure: StateError.optional() });

export const AssessFailureInput = WaypointInput.extend({ failure: StateError });
export const AssessFailureOutput = StateError.extend({
  /** Rung of the ladder where the rollback starts, or what is done instead. */
  next: z.enum(['undoKubernetes', 'undoConfiguration', 'undoInfrastructure', 'backOff', 'waitForNodes', 'stop']),
  pauseSeconds: z.number().int(),
});
export type AssessFailureOutput = z.infer<typeof AssessFailureOutput>;

/** @alias WaypointInput: each state has a name of its own for what it gets. */
export const RecordRollbackInput = WaypointInput;

/** Record Standstill is also reached when nothing could be planned. `next`: Assess Failure has recorded the failure. */
export const RecordStandstillInput = ReconcileClusterInput.extend({
  plan: PlanInput.optional(),
  failure: StateError.extend({ next: z.string().optional() }).optional(),
});

// ---- run-stage -----------------------------------------------------------------------------------------------

/** Its input. `try` is rewritten by Collect Result. */
export const RunStageInput = ReconcileClusterInput.extend({
  slot: StageRequest,
  try: z.object({ attempt: z.number().int().min(1), waitsSince: z.string().optional() }),
});
export type RunStageInput = z.infer<typeof RunStageInput>;

/** As Step Functions writes it. The last phase, COMPLETED, has no duration. */
export const BuildPhase = z.object({
  PhaseType: z.string(),
  PhaseStatus: z.string().nullish(),
  DurationInSeconds: z.number().nullish(),
  Contexts: z.array(z.object({ Message: z.string().nullish() })).nullish(),
});
export type BuildPhase = z.infer<typeof BuildPhase>;

/** `build`: the build that ended well, or what Catch says of one that did not. */
export const CollectResultInput = RunStageInput.extend({
  build: z.union([
    z.object({ Id: z.string(), Status: z.string(), Phases: z.array(BuildPhase).optional() }),
    StateError,
  ]),
  /** The execution's definition knows the outcome `wait`; that of 0.1.0 does not. */
  mayWait: z.boolean().optional(),
});
export type CollectResultInput = z.infer<typeof CollectResultInput>;

export const CollectResultOutput = StateError.extend({
  outcome: z.enum(['succeeded', 'retry', 'wait', 'failed']),
  /** Number of the next try. */
  attempt: z.number().int(),
  pauseSeconds: z.number().int(),
  /** ISO 8601: when the account ran no more builds for the first time, in any try of the stage. */
  waitsSince: z.string().optional(),
  /** Logged: how long it has waited for builds to be possible. */
  measures: z.object({ waitsForCapacitySeconds: z.number() }).optional(),
});
export type CollectResultOutput = z.infer<typeof CollectResultOutput>;

// ---- finish-run ----------------------------------------------------------------------------------------------

/** Stop Builds of `run-stage`: a stage whose build took longer than its state waits. */
/** @alias RunStageInput */
export const LateStageInput = RunStageInput;
export type LateStageInput = RunStageInput;

/** How an execution ends in which no Catch runs. */
const EndedWithoutCatch = z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']);

/** Stop Builds and Release Run: an ended execution of `reconcile-manifest`, as EventBridge reports it. */
export const EndedRunInput = z.object({
  executionArn: z.string(),
  runId: z.string(),
  status: EndedWithoutCatch,
  /** JSON text of its input. */
  input: z.string().transform((text) => ReconcileManifestInput.parse(JSON.parse(text))),
});
export type EndedRunInput = z.infer<typeof EndedRunInput>;

/** The last: Stop Builds of `reconcile-cluster`, where Plan Cluster finds that a build may be left. */
export const StopBuildsInput = z.union([LateStageInput, EndedRunInput, ReconcileClusterInput]);
export type StopBuildsInput = z.infer<typeof StopBuildsInput>;

export const StartNextAttemptInput = ReconcileManifestInput.extend({
  generation: z.number().int(),
  attempt: z.number().int(),
  reason: z.string(),
});
export type StartNextAttemptInput = z.infer<typeof StartNextAttemptInput>;

export const ReleaseRunOutput = StartNextAttemptInput.extend({
  startAgain: z.boolean(),
  /** Before it is started again; 0: at once. */
  pauseSeconds: z.number().int(),
});
export type ReleaseRunOutput = z.infer<typeof ReleaseRunOutput>;

// ---- roll-out ------------------------------------------------------------------------------------------------

/** Its input, and what all of its states have in common. `execution`: only the newest works on it. */
export const RollOutInput = z.object({ namespace: z.string(), id: z.string(), execution: z.number().int() });
export type RollOutInput = z.infer<typeof RollOutInput>;

/** Continue Roll Out: an ended execution of `roll-out`, as EventBridge reports it. */
export const EndedRollOutInput = z.object({
  status: EndedWithoutCatch,
  /** JSON text of its input. */
  input: z.string().transform((text) => RollOutInput.parse(JSON.parse(text))),
});
export type EndedRollOutInput = z.infer<typeof EndedRollOutInput>;

/** Plan Batch: which clusters are next, or why no cluster is next. Error and Cause are for Fail. */
export const PlanBatchOutput = StateError.extend({
  outcome: z.enum(['run', 'soak', 'ended', 'paused', 'halted', 'superseded']),
  clusters: z.array(z.string()),
  pauseSeconds: z.number().int(),
});
export type PlanBatchOutput = z.infer<typeof PlanBatchOutput>;

export const SubmitClusterInput = RollOutInput.extend({ cluster: z.string() });
export const SubmitClusterOutput = z.object({
  start: z.boolean(),
  /** Key and run of the manifest. */
  ...{ namespace: z.string(), name: z.string(), runId: z.string() },
  /** Why it was not submitted; '' when it was, or needs not be. */
  refused: z.string(),
});
export type SubmitClusterOutput = z.infer<typeof SubmitClusterOutput>;

export const JudgeBatchInput = RollOutInput.extend({
  batch: z.array(z.object({ cluster: z.string(), refused: z.string() })),
});
export const JudgeBatchOutput = z.object({ outcome: z.enum(['judged', 'wait', 'superseded']) });
export type JudgeBatchOutput = z.infer<typeof JudgeBatchOutput>;

export const RecordHaltInput = RollOutInput.extend({ failure: StateError });

// ---- ask-runner ----------------------------------------------------------------------------------------------

/** Machines whose starter waits for their output: Express in AWS. All others are Standard. */
export const expressMachines: readonly string[] = ['ask-runner'];

/** Its input. `job`: artifact prefix of a question that is stored. */
export const AskRunnerInput = z.object({ kind: z.string(), job: z.string() });
export type AskRunnerInput = z.infer<typeof AskRunnerInput>;

export const AskRunnerOutput = z.object({ buildId: z.string() });
