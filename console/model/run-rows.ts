/** A run as a table: waypoints are rows, stages are columns. Made from events, from the plan of the run, and from the stage in progress. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import type { PlannedWaypoint, RunPlan } from '#contracts/run-plan.ts';

export type PlannedStageName = PlannedWaypoint['stages'][number]['stage'];

/** A record, so that a stage without a column does not compile. */
const columns: Readonly<Record<PlannedStageName, true>> = {
  infrastructure: true,
  configuration: true,
  kubernetes: true,
  nodes: true,
  traffic: true,
};

/** In the order of a grow; a shrink takes them from the other end. */
export const stageColumns = Object.keys(columns) as readonly PlannedStageName[];

export type CellState =
  | 'none'
  | 'toCome'
  | 'notReached'
  | 'running'
  | 'undoing'
  | 'retrying'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'undone'
  | 'kept';

export interface Cell {
  readonly stage: PlannedStageName;
  readonly state: CellState;
  /** The last one that ended or is in progress. */
  readonly attempt: number;
  readonly seconds?: number;
  /** ISO 8601: since when it runs; absent while its container is being started. */
  readonly since?: string;
  readonly counts?: Readonly<Record<string, number>>;
  /** Why there is work. */
  readonly reasons: readonly string[];
  /** Where its log is; absent before it starts. */
  readonly log?: { readonly waypoint: string; readonly undo: boolean; readonly attempt: number };
}

export type RowState = 'toCome' | 'notReached' | 'inProgress' | 'reached' | 'undone' | 'stopped';

export interface Row {
  readonly number: number;
  readonly title: string;
  readonly direction: string;
  readonly state: RowState;
  readonly lines: PlannedWaypoint['lines'];
  readonly forwardOnly: boolean;
  readonly cells: Readonly<Record<PlannedStageName, Cell>>;
}

/** Waypoints of one cluster in one run. */
interface Start {
  /** As in the paths of its logs. */
  readonly id: string;
  readonly title: string;
  readonly sentences: string[];
  readonly ends: RunEvent[];
  /** Those of stages that started. */
  readonly begins: RunEvent[];
  state: 'inProgress' | 'reached' | 'undone' | 'stopped';
}

export interface RunToShow {
  readonly cluster: Pick<ClusterDescription, 'name' | 'progress'> & {
    readonly status: ClusterDescription['status'] | 'Deleted';
  };
  readonly runId: string;
  /** Whether the run is at work on it. */
  readonly active: boolean;
  readonly events: readonly RunEvent[];
  /** @default not known: rows are what has happened */
  readonly plan?: RunPlan['clusters'][number] | undefined;
}

export function runTable(run: RunToShow): readonly Row[] {
  const starts = startsOf(run);
  const last = starts.at(-1);
  const rows = run.plan ? plannedRows(run.plan, starts) : startedRows(starts);
  return rows.map((row) => {
    const current = row.starts.at(-1);
    const works = run.active && current !== undefined && current === last && current.state === 'inProgress';
    const state: RowState =
      current === undefined
        ? unstarted(run.active)
        : works || current.state !== 'inProgress'
          ? current.state
          : 'stopped';
    const cells = stageColumns.map(
      (stage) => [stage, cellOf(stage, row, { active: run.active, working: works ? run : undefined })] as const,
    );
    return {
      number: row.number,
      title: row.title,
      direction: row.direction,
      lines: row.lines,
      forwardOnly: row.forwardOnly,
      state,
      cells: Object.fromEntries(cells) as Row['cells'],
    };
  });
}

interface Draft extends Pick<Row, 'number' | 'title' | 'direction' | 'lines' | 'forwardOnly'> {
  readonly starts: readonly Start[];
  /** With work, and why; undefined where that is not known. */
  readonly work: ReadonlyMap<PlannedStageName, readonly string[]> | undefined;
}

function plannedRows({ waypoints }: RunPlan['clusters'][number], starts: readonly Start[]): readonly Draft[] {
  const byId = new Map(starts.map((start) => [start.id, start]));
  return waypoints.map(({ number, title, direction, lines, forwardOnly, stages, starts: ids }) => ({
    number,
    title,
    direction,
    lines,
    forwardOnly,
    starts: ids.flatMap((id) => byId.get(id) ?? emptyStart(id, title)),
    work: new Map(stages.map(({ stage, reasons }) => [stage, reasons])),
  }));
}

function startedRows(starts: readonly Start[]): readonly Draft[] {
  const rows: Draft[] = [];
  for (const start of starts) {
    const before = rows.at(-1);
    const [direction = ''] = start.title.split(':');
    const again = before?.starts.at(-1)?.state === 'inProgress';
    if (before && again) rows[rows.length - 1] = { ...before, starts: [...before.starts, start] };
    else {
      const lines = start.sentences.map((text) => ({ mark: '·' as const, text }));
      const number = rows.length + 1;
      rows.push({ number, title: start.title, direction, lines, forwardOnly: false, starts: [start], work: undefined });
    }
  }
  return rows;
}

const emptyStart = (id: string, title: string): Start => ({
  id,
  title,
  sentences: [],
  ends: [],
  begins: [],
  state: 'inProgress',
});

/** Events of the cluster in this run, by the waypoint that was in progress. */
function startsOf({ cluster, runId, events }: RunToShow): readonly Start[] {
  const starts: Start[] = [];
  for (const event of events) {
    if (event.runId !== runId || event.cluster !== cluster.name) continue;
    const named = starts.find(({ id }) => id === event.waypoint);
    const current = named ?? starts.at(-1);
    switch (event.kind) {
      case 'WaypointStarted':
        if (!named) starts.push(emptyStart(event.waypoint ?? logName(starts.length), event.message));
        break;
      case 'PlanExplained':
        current?.sentences.push(event.message);
        break;
      case 'WaypointReached':
        if (current) current.state = 'reached';
        break;
      case 'RolledBack':
        if (current) current.state = 'undone';
        break;
      case 'NeedsAttention':
        if (current) current.state = 'stopped';
        break;
      case 'StageStarted':
      case 'UndoStarted':
        current?.begins.push(event);
        break;
      case 'StageSucceeded':
      case 'StageRetried':
      case 'StageFailed':
      case 'StageCancelled':
      case 'StageUndone':
        current?.ends.push(event);
        break;
      default:
    }
  }
  return starts;
}

const logName = (index: number): string => `w${String(index).padStart(2, '0')}`;

const states: Readonly<Record<string, CellState>> = {
  StageSucceeded: 'done',
  StageRetried: 'retrying',
  StageFailed: 'failed',
  StageCancelled: 'cancelled',
  StageUndone: 'undone',
};

interface RunNow {
  readonly active: boolean;
  /** The run, where it is at work on this row. */
  readonly working: RunToShow | undefined;
}

function cellOf(stage: PlannedStageName, { starts, work }: Draft, { active, working }: RunNow): Cell {
  const reasons = work?.get(stage) ?? [];
  const ends = starts.flatMap((start) =>
    start.ends.filter((event) => event.stage === stage).map((event) => ({ event, start })),
  );
  const last = ends.at(-1);
  const attempt = last?.event.attempt ?? 1;
  const progress = working?.cluster.progress;
  const here = progress?.stage === stage;
  const undoing = working?.cluster.status === 'RollingBack';
  const current = starts.at(-1);
  const endedHere =
    last?.start === current && (last?.event.kind === 'StageSucceeded' || last?.event.kind === 'StageFailed');
  if (here && !undoing && current && !endedHere && working?.cluster.status === 'Running') {
    const again = last?.start === current && last?.event.kind === 'StageRetried';
    const next = again ? attempt + 1 : 1;
    const begin = beginOf(current, { stage, kind: 'StageStarted', attempt: next });
    return {
      stage,
      state: 'running',
      attempt: next,
      reasons,
      ...(begin && { since: begin.at }),
      log: { waypoint: current.id, undo: false, attempt: next },
    };
  }
  const undone = undoing ? current?.begins.findLast((event) => isOf(event, stage, 'UndoStarted')) : undefined;
  if (current && undone && !isOver(current, undone)) {
    const { at: since, attempt: tried = 1 } = undone;
    const log = { waypoint: current.id, undo: true, attempt: tried };
    return { stage, state: 'undoing', attempt: tried, since, reasons, log };
  }
  if (!last) return { stage, state: nothingHappened(stage, { starts, work }, active), attempt: 1, reasons };
  const { event, start } = last;
  return {
    stage,
    state: states[event.kind] ?? 'done',
    attempt,
    reasons,
    ...(event.seconds !== undefined && { seconds: event.seconds }),
    ...(event.counts && { counts: event.counts }),
    log: { waypoint: start.id, undo: event.kind === 'StageUndone', attempt },
  };
}

const isOf = (event: RunEvent, stage: PlannedStageName, kind: string): boolean =>
  event.stage === stage && event.kind === kind;

/** Start of that try; a try that is repeated, as after a lost container, starts twice. */
function beginOf(
  { begins }: Start,
  { stage, kind, attempt }: { readonly stage: PlannedStageName; readonly kind: string; readonly attempt: number },
): RunEvent | undefined {
  return begins.findLast((event) => isOf(event, stage, kind) && (event.attempt ?? 1) === attempt);
}

/** It ended, in whatever way. */
const isOver = ({ ends }: Start, begin: RunEvent): boolean =>
  ends.some(({ stage, attempt, at }) => stage === begin.stage && attempt === begin.attempt && at >= begin.at);

function nothingHappened(stage: PlannedStageName, { starts, work }: Pick<Draft, 'starts' | 'work'>, active: boolean) {
  if (work === undefined || !work.has(stage)) return 'none';
  const last = starts.at(-1)?.state;
  return last === 'reached' ? 'kept' : unstarted(active && last !== 'undone');
}

/** What has not started: it is to come while the run is at work. */
const unstarted = (active: boolean) => (active ? 'toCome' : 'notReached');
