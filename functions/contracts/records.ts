/** What is stored: one shape for each kind of item, parsed whenever it is read. */
import { z } from 'zod';
import { DocumentState } from '#domain/cluster-documents.ts';
import { ClusterFacts, ClusterState, poolRoles } from '#domain/cluster-state.ts';
import { Demand } from '#domain/demand.ts';
import { CheckPolicy, ClusterDrift } from '#domain/drift.ts';
import type { EventKind } from '#domain/event-kinds.ts';
import { FailureOutcome } from '#domain/failure-outcome.ts';
import { Direction, StageName } from '#domain/plan.ts';
import { ClusterBasis, LastChange } from '#domain/planning/plan-basis.ts';
import { MaybeCost } from '#domain/prices/money.ts';
import { flag, maybeText, templatesOfRecord } from './moved-templates.ts';
import { RunnerRelease } from './runner-release.ts';
import { RunWork, StageError } from './stage.ts';

/** One schema for each, as each is made at each cold start of a function. */
const count = z.number().int().optional();
const numbers = z.record(z.string(), z.number()).optional();

export const ManifestKey = z.strictObject({ namespace: z.string(), name: z.string() });
export type ManifestKey = z.infer<typeof ManifestKey>;

export const ManifestStatus = z.enum(['Pending', 'Running', 'Done', 'Failed', 'Deleting']);
export type ManifestStatus = z.infer<typeof ManifestStatus>;

export const Lease = z.strictObject({
  /** Execution ARN of the holder. */
  owner: z.string(),
  /** Grows with every taking; a commit with an older number is refused. */
  fence: z.number().int(),
  /** ISO 8601; a lease past it may be taken by another. */
  expiresAt: z.string(),
  /** What the holder leads to, whatever was accepted since it began. */
  cost: MaybeCost,
});
export type Lease = z.infer<typeof Lease>;

export const Orphans = z.union([z.literal('all'), z.array(z.string())]);
export type Orphans = z.infer<typeof Orphans>;

/** Who asked for a generation, when and why. */
export const Origin = z.strictObject({
  /** ISO 8601. */
  at: z.string(),
  /** Name of the caller. */
  by: z.string(),
  reason: z.string(),
  /** Rollbacks only: the generation that it went back to. */
  rolledBackTo: count,
});
export type Origin = z.infer<typeof Origin>;

/** The plan that a run has to carry out, or refuse. */
export const BoundPlan = z.strictObject({
  id: z.string(),
  /** Who approved it; absent when no approval was asked for. */
  approvedBy: maybeText,
  /** Version of Kubeloom that made it. */
  kubeloom: z.string(),
  /** By name: what it was made from. */
  clusters: z.record(z.string(), ClusterBasis),
});
export type BoundPlan = z.infer<typeof BoundPlan>;

export const ManifestRecord = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  /** Short random id given at creation, part of execution names: a name may be used again after a delete. */
  uid: z.string(),
  /** 1, 2, 3 …: one for each accepted change of the document. */
  generation: z.number().int(),
  /** 1, 2, 3 …: how often this generation was started. */
  attempt: z.number().int(),
  /** The document as accepted, as JSON; blank `spec` never occurs: deletion is the flag below. */
  document: z.unknown(),
  checksum: z.string(),
  /** Time of this generation; absent when an older release stored it. */
  origin: Origin.optional(),
  deleting: z.boolean(),
  status: ManifestStatus,
  ...templatesOfRecord,
  /** Documents of the management planes on its clusters, by cluster, as they were when this was accepted. */
  planes: z.record(z.string(), z.array(DocumentState)).optional(),
  /** The run that works on it or did last. */
  runId: z.string(),
  /** Nothing is started until it is resumed; a run in progress stops after its waypoint. */
  paused: flag,
  /** This run has to stop as soon as it can, and any older one with it when it is the newest. */
  cancelRequested: maybeText,
  /** This attempt does its stages from here on again, also those that had succeeded before. */
  retryFrom: StageName.optional(),
  /** The tools of this attempt say more in their logs. */
  debug: flag,
  /** Its run carries out this plan and nothing else; absent when it plans from what there is then. */
  plan: BoundPlan.optional(),
  /** What its machines cost a month as it was accepted; when it is done, as they are. Absent: an older release stored it. */
  acceptedCost: MaybeCost,
  /** Automatic retries of this generation in a row; absent = none since it was done, stored, or started by a person. */
  retries: count,
  /** Its run is a check for drift, and what that may do; with `stateEdit` it edits the Terraform state of the cluster with that id. */
  check: CheckPolicy.optional(),
  stateEdit: maybeText,
  /** ISO 8601: when the end of its certificates was last reported while no check renewed them. */
  remindedAt: maybeText,
  /** This generation failed, also while what exists is checked. `retryAt`: when it is retried; absent = by a person. */
  failed: z.strictObject({ retryAt: maybeText }).optional(),
  /** How many checks there were: part of the names of their runs. */
  checks: count,
  /** A deletion orphans these nodes instead of destroying them; `all`: everything. */
  orphans: Orphans.optional(),
  lease: Lease.nullable(),
  /** Last fence ever given. */
  fence: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** When the scheduler has to handle it (missed start, expired lease, check for drift, retry); absent = not due. */
  dueAt: maybeText,
});
export type ManifestRecord = z.infer<typeof ManifestRecord>;

/** All of it but the document, which is stored apart: what leases, statuses and lists need. */
export const ManifestHead = ManifestRecord.omit({ document: true });
export type ManifestHead = z.infer<typeof ManifestHead>;

export const ClusterStatus = z.enum([
  'Planning',
  'Running',
  'RollingBack',
  'BackingOff',
  /** As it was; a drift check is running. */
  'Checking',
  /** In the desired state; with a `failure` after something that was asked for apart from the manifest was undone. */
  'Converged',
  /** In the desired state, apart from new pools that could not be created; see `heldPools`. */
  'Degraded',
  'RolledBack',
  'NeedsAttention',
]);

export const NodeProgress = z.strictObject({
  name: z.string(),
  role: z.string(),
  pool: z.string(),
  provider: z.string(),
  part: z.enum(['stays', 'joins', 'leaves']),
});
export type NodeProgress = z.infer<typeof NodeProgress>;

export const ClusterProgress = z.strictObject({
  runId: z.string(),
  direction: Direction,
  /** 1-based waypoint of this run and how many are planned (from here on). */
  waypoint: z.number().int(),
  waypoints: z.number().int(),
  stage: StageName.optional(),
  /** Steps (stages with work, over all waypoints) finished, and all of them. */
  step: z.number().int(),
  steps: z.number().int(),
  startedAt: z.string(),
  updatedAt: z.string(),
  nodes: z.array(NodeProgress),
});
export type ClusterProgress = z.infer<typeof ClusterProgress>;

export const ClusterFailure = StageError.extend({
  stage: StageName.optional(),
  runId: z.string(),
  at: z.string(),
  outcome: FailureOutcome.optional(),
  /** Artifact prefix of the failed attempt, for its log. */
  attemptPrefix: maybeText,
});
export type ClusterFailure = z.infer<typeof ClusterFailure>;

/** A new pool that could not be created: it waits for another generation or attempt than these. */
export const HeldPool = z.strictObject({
  /** Its name. */
  pool: z.string(),
  role: z.enum(poolRoles),
  generation: z.number().int(),
  attempt: z.number().int(),
  failure: StageError,
});
export type HeldPool = z.infer<typeof HeldPool>;

/** Nodes that the waypoint in progress pauses for. */
export const NodeWait = z.strictObject({
  /** What holds each, and ISO 8601: since when. */
  nodes: z.array(z.strictObject({ node: z.string(), because: z.string(), since: z.string() })),
  /** ISO 8601: when the stage tries them again. */
  comparedAgainAt: z.string(),
});
export type NodeWait = z.infer<typeof NodeWait>;

/** What succeeded on the way to one target, so that it is not repeated; `key` is a hash of direction, target and start. */
export const DoneStages = z.strictObject({ key: z.string(), stages: z.array(StageName) });
export type DoneStages = z.infer<typeof DoneStages>;

export const ClusterRecord = z.strictObject({
  namespace: z.string(),
  manifest: z.string(),
  cluster: z.string(),
  /** Optimistic lock: every write names the version it read. */
  version: z.number().int(),
  /** Fence of the last writer; an older one is refused. */
  fence: z.number().int(),
  status: ClusterStatus,
  /** The last waypoint reached; null = nothing exists. */
  current: ClusterState.nullable(),
  /** Target of the waypoint in progress or interrupted; null once reached or undone. Its nodes may exist. */
  attempted: ClusterState.nullable(),
  facts: ClusterFacts,
  progress: ClusterProgress.nullable(),
  failure: ClusterFailure.nullable(),
  /** Artifact prefix of the waypoint in progress, or of the last one; `w<NN>` at its end counts within a run. */
  waypointPrefix: z.string().nullable(),
  /** Number of failures of the waypoint in progress that were followed by a pause. */
  backOffs: z.number().int(),
  nodeWait: NodeWait.optional(),
  heldPools: z.array(HeldPool).optional(),
  doneStages: DoneStages.optional(),
  /** The last waypoint that was started, so that plans that were made before are known to be old. */
  lastChange: LastChange.optional(),
  /** What the last check for drift found; absent before the first. */
  drift: ClusterDrift.optional(),
  /** How the last change ended, while what exists is checked and repaired without it; absent once another change starts. */
  unreached: z.strictObject({ status: ClusterStatus, failure: ClusterFailure.nullable() }).optional(),
  /** Requests apart from the manifest that the waypoint in progress, or the last one, fulfils; absent without such requests. */
  demand: Demand.pick({ sizes: true, replace: true }).optional(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

/** What was requested of a cluster in addition to its manifest; absent when nothing ever was. */
export const DemandRecord = Demand.extend({
  namespace: z.string(),
  manifest: z.string(),
  /** Its id, as in `ClusterRecord`. */
  cluster: z.string(),
  /** Optimistic lock: every write names the version it read. */
  version: z.number().int(),
});
export type DemandRecord = z.infer<typeof DemandRecord>;

export const RunStatus = z.enum(['Queued', 'Running', 'Succeeded', 'Failed', 'Aborted', 'Superseded']);
export type RunStatus = z.infer<typeof RunStatus>;

export const RunRecord = z.strictObject({
  namespace: z.string(),
  manifest: z.string(),
  /** `<manifest>-<uid>-g<generation>-a<attempt>`, of a check `…-d<number>`; also the name of its execution. */
  runId: z.string(),
  generation: z.number().int(),
  attempt: z.number().int(),
  reason: z.string(),
  status: RunStatus,
  queuedAt: z.string(),
  startedAt: maybeText,
  endedAt: maybeText,
  /** The release that the run started with; absent: it started before runs recorded that, or has not started. */
  runners: RunnerRelease.optional(),
  debug: ManifestRecord.shape.debug,
  /** The plan that it carries out, and who approved that; absent when it was bound to none. */
  plan: BoundPlan.pick({ id: true, approvedBy: true }).optional(),
  /** Outcome of each cluster by its name, filled in when the run settles. */
  clusters: z.record(z.string(), z.strictObject({ status: ClusterStatus, message: z.string() })),
});
export type RunRecord = z.infer<typeof RunRecord>;

export const RunEvent = z.strictObject({
  /** ISO 8601 with ms. */
  at: z.string(),
  runId: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  /** One of `eventKinds`, or of another version. */
  kind: z.string(),
  /** Name of the cluster. */
  cluster: maybeText,
  /** The waypoint of an event about a waypoint, a stage or a tool: as in the paths of their logs, `w00`. */
  waypoint: maybeText,
  stage: RunWork.optional(),
  node: maybeText,
  /** The number of the try, from 1, for events about a stage or its tool. */
  attempt: count,
  /** How long a stage took; only in the event of its end. */
  seconds: z.number().optional(),
  /** What it did, as numbers. */
  counts: numbers,
  /** Seconds of each phase of its build, as CodeBuild counts them: `queued`, `provisioning`, `build`, … */
  phases: numbers,
  /** Name of the caller who requested it. */
  by: maybeText,
  message: z.string(),
});
export type RunEvent = z.infer<typeof RunEvent>;
/** With its id: the same whenever it is read, of no other event of its manifest. */
export type StoredEvent = RunEvent & { readonly id: string };

/** As this version writes it. */
export type NewEvent = RunEvent & { readonly kind: EventKind };
