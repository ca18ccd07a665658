/** What the API answers: the shape of every response. Those about other documents, generations and checks are in `http-documents.ts`, what it takes is in `http-parameters.ts`. */
import { z } from 'zod';
import { NodeState, poolRoles } from '#domain/cluster-state.ts';
import { ClusterDrift } from '#domain/drift.ts';
import { ClusterPlan, Direction, StageName } from '#domain/plan.ts';
import { PlanTotals } from '#domain/planning/text/plan-totals.ts';
import { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { clusterParts } from './cluster-parts.ts';
import {
  BehindRow,
  clusterRemarks,
  DriftRows,
  heldPoolRemarks,
  nodeRemarks,
  OpenDemand,
  planIdentity,
} from './cluster-remarks.ts';
import { FailureReport } from './failure-report.ts';
import { FleetCounts, FleetState, ShownStatus } from './fleet.ts';
import { flag, maybeText } from './moved-templates.ts';
import { ClusterStatus, RunEvent, RunRecord } from './records.ts';
import { PlannedWaypoint } from './run-plan.ts';
import { RunWork, StageMode } from './stage.ts';
import { WaitingPlan, WaitingPlanList } from './waiting-plans.ts';

/** Header names of our own. */
export const headerNames = {
  /** Byte offset at which the next part of the log begins. */
  nextOffset: 'kubeloom-next-offset',
  /** `true` once the stage has ended and nothing follows. */
  ended: 'kubeloom-ended',
} as const;

/** One fault of a document (or, as a warning, something unwise in it). */
export const WireFault = z
  .object({
    path: z.string().describe('where, as `spec.nodePools.dynamic[0].count`'),
    reason: z.string().describe('what is wrong, a sentence'),
    fix: maybeText.describe('what to do about it'),
    line: z.number().int().optional().describe('position in the text, counted from 1'),
    column: z.number().int().optional(),
    id: maybeText.describe('warnings only: the id by which `kubeloom.dev/accept` accepts it'),
  })
  .meta({ id: 'Fault' });
export type WireFault = z.infer<typeof WireFault>;

/** RFC 9457. `code` is the stable word for programs. */
export const Problem = z
  .object({
    type: z.string().describe('kind of problem: `urn:kubeloom:error:<code>`'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('a sentence that names the thing and the fix'),
    instance: z.string().describe('id of the request, to find it in the logs'),
    code: z.string().describe('error name, e.g. `InvalidManifest`, `VersionConflict`'),
    faults: z.array(WireFault).optional().describe('every fault at once'),
    current: z
      .object({ generation: z.number().int(), attempt: z.number().int() })
      .optional()
      .describe('what is stored, on 409 and 412'),
    details: z.unknown().optional().describe('further details for programs'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details' });
export type Problem = z.infer<typeof Problem>;

// manifests

const links = z.record(z.string(), z.string()).describe('paths of this API');

export const LeftBehind = z
  .object({
    cluster: z.string().describe('name of the cluster'),
    nodes: z.array(
      z.object({
        name: z.string(),
        provider: z.string(),
        region: maybeText,
        address: maybeText,
      }),
    ),
    loadBalancers: z.array(z.object({ name: z.string(), dnsName: z.string() })),
    terraformStates: z.array(z.string()).describe('keys of the Terraform states that are kept, in the bucket'),
  })
  .meta({ id: 'LeftBehind', description: 'resources that keep running and are no longer managed' });
export type LeftBehind = z.infer<typeof LeftBehind>;

export const ManifestAccepted = z
  .object({
    namespace: z.string(),
    name: z.string(),
    generation: z.number().int(),
    attempt: z.number().int(),
    runId: z.string(),
    unchanged: z.boolean().describe('true when the same document is already done or in progress: nothing was started'),
    paused: z.boolean().describe('true when it is only stored: the manifest is paused, and resuming it starts the run'),
    left: z.array(LeftBehind).optional().describe('what a deletion orphans instead of destroying it'),
    warnings: z.array(WireFault),
    links,
  })
  .meta({ id: 'ManifestAccepted' });
export type ManifestAccepted = z.infer<typeof ManifestAccepted>;

export const Progress = z
  .object({ step: z.number().int(), steps: z.number().int(), percent: z.number().int().min(0).max(100) })
  .meta({ id: 'Progress', description: 'steps are stages with work, over all waypoints of the run' });
export type Progress = z.infer<typeof Progress>;

export const ManifestSummary = z
  .object({
    namespace: z.string(),
    name: z.string(),
    generation: z.number().int(),
    attempt: z.number().int(),
    status: ShownStatus,
    state: FleetState.optional().describe('absent in answers of an older release'),
    unreadable: maybeText.describe('why it cannot be read, and what to do; only with `Unreadable`'),
    deleting: z.boolean(),
    paused: z.boolean(),
    cancelling: flag.describe('the run in progress is being cancelled'),
    failed: flag.describe('its generation failed, and what exists is being checked or repaired'),
    runId: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    progress: Progress.nullable(),
    proposed: z.array(WaitingPlan).optional().describe('plans of it that wait for an approval, newest first'),
    behind: z.array(BehindRow).optional().describe('templates of its own that name another commit than the one in use'),
    clusters: z.array(
      z.object({
        cluster: z.string().describe('id: `<name>-<hash>`'),
        name: z.string(),
        status: ClusterStatus,
        nodes: z.number().int(),
        ...clusterRemarks,
      }),
    ),
  })
  .meta({ id: 'ManifestSummary' });
export type ManifestSummary = z.infer<typeof ManifestSummary>;

export const NodeRow = z
  .object({
    name: NodeState.shape.name,
    pool: z.string(),
    role: z.enum(poolRoles),
    provider: z.string().describe('provider instance; `static` for machines of your own'),
    region: maybeText,
    zone: maybeText.describe('zone of the region, if the manifest names one'),
    serverType: maybeText.describe('absent for machines of your own'),
    publicAddress: maybeText,
    privateAddress: z.string().describe('in the mesh; empty without a mesh'),
    ...nodeRemarks,
  })
  .meta({ id: 'NodeRow' });
export type NodeRow = z.infer<typeof NodeRow>;

export const ClusterDescription = z
  .object({
    cluster: z.string().describe('id: `<name>-<hash>`'),
    name: z.string(),
    status: ClusterStatus,
    kubernetesVersion: z.string().nullable(),
    network: z.string().nullable(),
    apiEndpoint: z.string().nullable(),
    progress: Progress.extend({
      direction: Direction,
      waypoint: z.number().int(),
      waypoints: z.number().int(),
      stage: StageName.nullable(),
      startedAt: z.string(),
      updatedAt: z.string(),
    }).nullable(),
    nodes: z.array(NodeRow),
    ...clusterParts,
    failure: FailureReport.nullable(),
    heldPools: z
      .array(z.object({ pool: z.string(), role: z.string(), reason: z.string(), ...heldPoolRemarks }))
      .describe('new pools that could not be created; a retry or a changed manifest tries them again'),
    demand: OpenDemand.nullable().describe('null when nothing is requested'),
    drift: ClusterDrift.nullable().describe('what the last check found; null before the first'),
    simulated: z.array(z.string()).describe('what of this cluster is not real; empty = all real'),
    kubeconfigPath: z.string().nullable().describe('in this API, once there is one'),
  })
  .meta({ id: 'ClusterDescription' });
export type ClusterDescription = z.infer<typeof ClusterDescription>;

export const Run = RunRecord.omit({ runners: true }).meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;

export const ManifestDescription = ManifestSummary.extend({
  document: z.unknown().describe('the InputManifest as accepted'),
  clusters: z.array(ClusterDescription),
  simulated: z.array(z.string()),
  lastRun: Run.nullable(),
  retryAt: maybeText.describe('when a failed manifest is retried automatically; absent = never'),
  checkAt: z
    .string()
    .optional()
    .describe('when what exists is checked for drift next; absent = not before a retry, or never'),
  links,
}).meta({ id: 'ManifestDescription' });
export type ManifestDescription = z.infer<typeof ManifestDescription>;

/** A page of `item`; `next` is absent on the last one. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: maybeText.describe('cursor of the next page; absent: no more') });

export const ManifestPage = page(ManifestSummary)
  .extend({
    /** On the first page, in addition to its items: plans whose approval creates a manifest that does not exist yet, and that fit the filters. */
    proposed: WaitingPlanList.shape.items.optional(),
    counts: FleetCounts.optional().describe('present if they were requested; those that are only proposed count, too'),
  })
  .meta({ id: 'ManifestPage' });
export type ManifestPage = z.infer<typeof ManifestPage>;
export const RunPage = page(Run).meta({ id: 'RunPage' });
export type RunPage = z.infer<typeof RunPage>;
/** An event of one manifest. */
export const ShownEvent = RunEvent.extend({
  id: maybeText.describe('unique within its manifest; absent in answers of an older release'),
}).meta({ id: 'RunEvent' });
export type ShownEvent = z.infer<typeof ShownEvent>;
/** Here `next` is where a follower continues: present as soon as there was any event, also if there are no more yet. */
export const EventPage = page(ShownEvent).meta({ id: 'EventPage' });
export type EventPage = z.infer<typeof EventPage>;

// plan and validate

export const PlanReport = z
  .object({
    namespace: z.string(),
    name: z.string(),
    ...planIdentity,
    hasWork: z.boolean(),
    faults: z.array(WireFault).describe('faults of the document; refusals of the planner are in `clusters`'),
    warnings: z.array(WireFault),
    clusters: z.array(ClusterPlan.meta({ id: 'ClusterPlan' })),
    paths: z
      .array(z.object({ cluster: z.string(), summary: z.string(), waypoints: z.array(PlannedWaypoint) }))
      .describe('the plan in words'),
    totals: PlanTotals,
    costOfMonth: CostOfMonth.optional().describe('present if machines have a price'),
    budgets: z.array(BudgetOfPlan).describe('the budgets that apply: of its namespace and of the installation'),
    etag: z
      .string()
      .nullable()
      .describe('`ETag` of the version that this was planned against, for `If-Match`; null when nothing is stored'),
    rollbackTo: z.number().int().optional().describe('the generation that a rollback would go back to'),
    drift: DriftRows,
    demand: z
      .array(OpenDemand.extend({ cluster: z.string().describe('its name') }))
      .describe('what the plan follows in addition to the document'),
  })
  .meta({ id: 'PlanReport' });
export type PlanReport = z.infer<typeof PlanReport>;

export const ValidationReport = z
  .object({
    valid: z.boolean(),
    documents: z.array(
      z.object({
        index: z.number().int().describe('0-based place in the body'),
        kind: z.string().nullable(),
        namespace: z.string().nullable(),
        name: z.string().nullable(),
        faults: z.array(WireFault),
        warnings: z.array(WireFault),
      }),
    ),
  })
  .meta({ id: 'ValidationReport' });

// logs, service

export const LogList = z
  .object({
    items: z.array(
      z.object({
        cluster: z.string().describe('name of the cluster'),
        waypoint: z.string(),
        stage: RunWork,
        mode: StageMode,
        attempt: z.number().int(),
        size: z.number().int(),
        ended: z.boolean(),
        path: z.string().describe('of the text in this API'),
      }),
    ),
  })
  .meta({ id: 'LogList' });
export type LogList = z.infer<typeof LogList>;

export const Health = z.object({ status: z.literal('ok'), time: z.string() });
export const Version = z.object({ version: z.string(), installation: z.string(), providerTypes: z.array(z.string()) });
