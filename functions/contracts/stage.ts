/** The interface of pipeline and runner: the waypoint document that the runner reads and the result that it always writes. */
import { z } from 'zod';
import { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { errorClasses } from '#domain/errors.ts';
import { Direction, StagePlan, stageNames } from '#domain/plan.ts';

/** Everything the runners of one waypoint need, without any secret; written once by Plan Cluster, never changed. */
export const WaypointDocument = z.strictObject({
  schema: z.literal(1),
  namespace: z.string(),
  manifest: z.string(),
  generation: z.number().int(),
  runId: z.string(),
  cluster: z.string(),
  /** 0-based place on the path of this run. */
  index: z.number().int(),
  direction: Direction,
  before: ClusterState.nullable(),
  target: ClusterState.nullable(),
  /** What was attempted before and may exist without being in `before` or `target`; its workspaces are handled, too. */
  attempted: ClusterState.nullable(),
  facts: ClusterFacts,
  /** Nodes that the waypoint has paused for: ISO 8601, since when. */
  waitsSince: z.record(z.string(), z.string()).optional(),
  /** The pauses for components that wait for another are used up: without them the waypoint is reached, too. */
  reachedWithHeld: z.literal(true).optional(),
  /** Nodes whose machines, if they are gone, only a repair that names them recreates: healing decides, or they are being replaced. */
  notRecreated: z.array(z.string()).optional(),
  /** Tools say more in their logs. */
  debug: z.literal(true).optional(),
  stages: z.array(StagePlan),
  undo: z.array(StagePlan),
});
export type WaypointDocument = z.infer<typeof WaypointDocument>;

/** What a run starts containers for: the stages of a waypoint, and checks for drift. */
export const RunWork = z.enum([...stageNames, 'drift']);
export type RunWork = z.infer<typeof RunWork>;

export const StageMode = z.enum(['do', 'undo']);
export type StageMode = z.infer<typeof StageMode>;

export const StageError = z.strictObject({
  class: z.enum(errorClasses),
  /** Stable word for programs, e.g. `HostUnreachable`, `TerraformApplyFailed`. */
  code: z.string(),
  /** The cause in the tool's own words, secrets masked, at most 2,000 characters. */
  message: z.string(),
  /** Node, load balancer, provider instance or resource address it is about. */
  resource: z.string().optional(),
  /** What a person should do. */
  hint: z.string(),
  retryable: z.boolean(),
  /** Nodes that a user or a disruption budget holds, and what holds them: no fault, the waypoint pauses for them. */
  waitsFor: z.array(z.strictObject({ node: z.string(), because: z.string() })).optional(),
});
export type StageError = z.infer<typeof StageError>;

/** What a runner leaves of a stage, or of a check for drift. */
export const StageResult = z.strictObject({
  schema: z.literal(1),
  stage: RunWork,
  mode: StageMode,
  attempt: z.number().int(),
  ok: z.boolean(),
  /** ISO 8601 */
  startedAt: z.string(),
  endedAt: z.string(),
  /** Time spent inside the tools themselves, ms; the rest is ours. */
  toolMs: z.number(),
  error: StageError.optional(),
  /** With `ok`, of a grow's infrastructure only: new pools (by id) that could not be created; nothing of them is left. */
  failedPools: z.array(z.strictObject({ pool: z.string(), error: StageError })).optional(),
  /** Counts for people: `{ hostsCreated: 3 }`. */
  summary: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type StageResult = z.infer<typeof StageResult>;

/** Asks runners to end in order: the tool is interrupted; its state, the facts and the result are stored. */
export const StopRequest = z.strictObject({
  schema: z.literal(1),
  /** ISO 8601 */
  at: z.string(),
  /** `late`: no one waits for it any longer; it may be retried. */
  reason: z.enum(['cancelled', 'late']),
});
export type StopRequest = z.infer<typeof StopRequest>;

/** Artifact keys of a cluster that outlive its waypoints. */
export function clusterKeys({
  namespace,
  manifest,
  cluster,
}: Pick<WaypointDocument, 'namespace' | 'manifest' | 'cluster'>): {
  readonly kubeconfig: string;
  /** Backup of the cluster's certificate authority, which no part of Kubeloom reads. */
  readonly authority: string;
  /** Where 0.1.0 kept it, for all that may read kubeconfigs. */
  readonly formerAuthority: string;
} {
  const place = `${namespace}/${manifest}/${cluster}`;
  const kubeconfig = `kubeconfigs/${place}`;
  return { kubeconfig, authority: `pki/${place}.tar.gz`, formerAuthority: `${kubeconfig}.pki.tar.gz` };
}

/** Where the SSH key of a pool of a cluster is kept: runners create it, functions delete it with the pool. */
export const poolKeyPath = (
  { namespace, manifest }: Pick<WaypointDocument, 'namespace' | 'manifest'>,
  clusterId: string,
  poolId: string,
): string => `ssh/${namespace}/${manifest}/${clusterId}/${poolId}`;

/** The last segment of a waypoint's prefix, `w00`: counts what a run started of a cluster. */
export const waypointOf = (prefix: string): string => prefix.slice(prefix.lastIndexOf('/') + 1);

/** Artifact keys below a waypoint's prefix: the one place that knows them. */
export const waypointKeys = {
  /** What its runners are given: a `WaypointDocument`, or a `DriftCheck`. */
  document: (prefix: string) => `${prefix}/waypoint.json`,
  /** The way from there on in words, for those who watch: a `PlannedPath`. */
  path: (prefix: string) => `${prefix}/path.json`,
  /** Cumulative `ClusterFacts`, rewritten by each stage; absent before the first. */
  facts: (prefix: string) => `${prefix}/facts.json`,
  /** What a check for drift found: a `DriftReport`. */
  drift: (prefix: string) => `${prefix}/drift.json`,
  attempt: (prefix: string, stage: RunWork, mode: StageMode, attempt: number) =>
    `${prefix}/${stage}${mode === 'undo' ? '-undo' : ''}/${attempt}`,
  result: (attemptPrefix: string) => `${attemptPrefix}/result.json`,
  log: (attemptPrefix: string) => `${attemptPrefix}/log.txt`,
  /** Place of requests to all that undoes it: a cancel of the waypoint does not stop that. */
  undo: (prefix: string) => `${prefix}/undo`,
  /** A `StopRequest`, for all of a waypoint that is not being undone, for all that undoes it, or for one attempt. */
  stop: (place: string) => `${place}/stop.json`,
} as const;
