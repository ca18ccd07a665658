/** The input of a tool driver, and its interface. */
import type { StageError, StageMode, WaypointDocument } from '#contracts/stage.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { KindOf, Reported } from '#domain/event-kinds.ts';
import type { StageName, StagePlan } from '#domain/plan.ts';
import type { toolOfStage } from '#functions/pipeline/stages/stage-requests.ts';
import type { PortUse } from '#functions/ports.ts';
import type { usesOfTool } from '#functions/rights/runner-rights.ts';
import type { FactSheet } from './fact-sheet.ts';
import type { JobContext } from './job-frame.ts';

export type StageEvent = Reported<KindOf<'tool'>>;

/** What a job on a cluster works with. */
export interface ClusterContext<Use extends PortUse = never> extends JobContext<Use> {
  /** The cluster, and the run. */
  readonly document: Pick<WaypointDocument, 'namespace' | 'manifest' | 'generation' | 'runId' | 'cluster'>;
  readonly attempt: number;
  /** What the tool converges to: the target, or in mode undo the state before. Null = nothing may be left. */
  readonly target: ClusterState | null;
  /** States other than the target that exist or may exist: the other end of the waypoint, and targets that were attempted before. */
  readonly others: readonly ClusterState[];
  readonly facts: FactSheet;
  /** Emits an event for people; few and meaningful. */
  readonly emit: (event: StageEvent) => void;
}

export interface StageContext<Use extends PortUse = never> extends ClusterContext<Use> {
  readonly document: WaypointDocument;
  readonly mode: StageMode;
  readonly plan: StagePlan;
  /** Notes a new pool that could not be created: the stage succeeds without it, later stages skip it. */
  readonly noteFailedPool: (pool: string, error: StageError) => void;
}

/** A check for drift of what was created. */
export interface DriftContext extends ClusterContext<(typeof usesOfTool)['drift'][number]> {
  readonly target: ClusterState;
}

/** Counts for people. */
export type StageSummary = Readonly<Record<string, string | number>>;

/** Allowed what any runner of stages is: only the program that starts drivers has it. */
export type AnyContext = ContextOf<StageTool>;

/** A driver. Throws `StageFailure`; what it found until then is in the fact sheet. */
export type Tool = (context: AnyContext) => Promise<StageSummary>;

/** With a right to read Secrets. */
export type SecretReader = ClusterContext<'secrets.get'>;

type StageTool = (typeof toolOfStage)[StageName];

/** What the driver of a stage gets: all that its runner's role allows. */
export type ContextOf<Name extends StageTool> = StageContext<(typeof usesOfTool)[Name][number]>;

/** The driver of a runner: it calls no more than the runner's role allows. */
export type ToolOf<Name extends StageTool> = (context: ContextOf<Name>) => Promise<StageSummary>;

/** The driver of each stage. */
export type StageTools = { readonly [Stage in StageName]: ToolOf<(typeof toolOfStage)[Stage]> };

/** The states a stage may find: the target first. */
export function knownStates(context: Pick<ClusterContext, 'target' | 'others'>): readonly ClusterState[] {
  return context.target === null ? context.others : [context.target, ...context.others];
}

/** Names of all nodes of those states. */
export function knownNodeNames(context: Pick<ClusterContext, 'target' | 'others'>): ReadonlySet<string> {
  return new Set(knownStates(context).flatMap((state) => allNodes(state).map(({ node }) => node.name)));
}
