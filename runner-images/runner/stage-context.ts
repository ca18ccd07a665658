/** The input of a tool driver, and its interface. */
import type { StageError, StageMode, WaypointDocument } from '#contracts/stage.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftReport } from '#domain/drift.ts';
import type { DriftPlan, RunnerStage, StagePlan } from '#domain/plan.ts';
import type { toolOfStage } from '#functions/pipeline/stages/stage-requests.ts';
import type { PortUse } from '#functions/ports.ts';
import type { RunnerPorts, RunnerTool, usesOfTool } from '#functions/rights/runner-rights.ts';
import type { FactSheet } from './fact-sheet.ts';
import type { Command, CommandResult } from './process.ts';
import type { SecretMask } from './secret-mask.ts';
import type { StageLog } from './stage-log.ts';

/** What a runner has to do: a stage, or a check for drift. */
export type RunnerPlan = StagePlan | DriftPlan;

/** The work of one stage by its name. */
export type WorkOf<Name extends StagePlan['stage']> = Extract<StagePlan, { stage: Name }>['work'];

export interface StageEvent {
  readonly kind: string;
  readonly message: string;
  readonly level?: 'info' | 'warning' | 'error';
  readonly node?: string;
}

/** `Use`: what the driver calls of the ports, apart from what every runner calls. */
export interface StageContext<Use extends PortUse = never> {
  readonly document: WaypointDocument;
  readonly mode: StageMode;
  readonly attempt: number;
  readonly plan: RunnerPlan;
  /** What the tool converges to: the target, or in mode undo the state before. Null = nothing may be left. */
  readonly target: ClusterState | null;
  /** States other than the target that exist or may exist: the other end of the waypoint, and targets that were attempted before. */
  readonly others: readonly ClusterState[];
  readonly facts: FactSheet;
  readonly ports: RunnerPorts<Use>;
  readonly mask: SecretMask;
  readonly log: StageLog;
  readonly signal: AbortSignal;
  /** Private, mode 0700, removed when the stage ends. */
  readonly workDirectory: string;
  /** The plain files of the tools: `templates/`. */
  readonly templatesDirectory: string;
  /** Runs a tool; see `runCommand`. */
  readonly run: (command: Command) => Promise<CommandResult>;
  /** Notes a new pool that could not be created: the stage succeeds without it, later stages skip it. */
  readonly skipPool: (pool: string, error: StageError) => void;
  /** Notes what a check for drift found; it is stored next to the result. @default ignored */
  readonly reportDrift?: (found: Omit<DriftReport, 'schema'>) => void;
  /** Emits an event for people; few and meaningful. */
  readonly emit: (event: StageEvent) => void;
}

/** Counts for people. */
export type StageSummary = Readonly<Record<string, string | number>>;

/** Allowed what any runner is: only the program that starts drivers has it. */
export type AnyContext = ContextOf<RunnerTool>;

/** A driver. Throws `StageFailure`; what it found until then is in the fact sheet. */
export type Tool = (context: AnyContext) => Promise<StageSummary>;

/** With a right to read Secrets. */
export type SecretReader = StageContext<'secrets.get'>;

/** What the driver of a runner gets: all that the runner's role allows. */
export type ContextOf<Name extends RunnerTool> = StageContext<(typeof usesOfTool)[Name][number]>;

/** The driver of a runner: it calls no more than the runner's role allows. */
export type ToolOf<Name extends RunnerTool> = (context: ContextOf<Name>) => Promise<StageSummary>;

/** The driver of each stage. */
export type StageTools = { readonly [Stage in RunnerStage]: ToolOf<(typeof toolOfStage)[Stage]> };

/** The states a stage may find: the target first. */
export function knownStates(context: Pick<StageContext, 'target' | 'others'>): readonly ClusterState[] {
  return context.target === null ? context.others : [context.target, ...context.others];
}

/** Names of all nodes of those states. */
export function knownNodes(context: Pick<StageContext, 'target' | 'others'>): ReadonlySet<string> {
  return new Set(knownStates(context).flatMap((state) => allNodes(state).map(({ node }) => node.name)));
}
