/** Events as one reads them: by run, and in a run the sentences of a plan together. */
import type { ShownEvent } from '#contracts/api-bodies.ts';

export interface ListedEvent extends ShownEvent {
  readonly manifest?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An event, or the sentences of a plan, which are folded. */
export interface EventLine {
  readonly event: ListedEvent;
  /** Not that of the line before. */
  readonly cluster: string | undefined;
  /** That follow it, of the same plan; empty where it is no plan. */
  readonly plan: readonly ListedEvent[];
}

export interface EventGroup {
  readonly key: string;
  /** What was asked for, where it is a run of several lines; undefined: its lines are shown as they are. */
  readonly title: string | undefined;
  readonly first: ListedEvent;
  readonly end: RunEnd | undefined;
  readonly events: readonly ListedEvent[];
}
type RunEnd = 'succeeded' | 'failed' | 'ended';

/** Fewer are no group of their own. */
const fewest = 4;

/** What happened last is in the last group. */
export function eventGroups(events: readonly ListedEvent[]): readonly EventGroup[] {
  const byRun = new Map<string, ListedEvent[]>();
  for (const event of events) {
    // An event without a run is a group of its own.
    const key = event.runId === '' ? `alone ${event.id ?? byRun.size}` : event.runId;
    const known = byRun.get(key) ?? [];
    // Again, so that it comes after all others.
    byRun.delete(key);
    known.push(event);
    byRun.set(key, known);
  }
  return [...byRun].flatMap(([key, [first, ...rest]]) => {
    if (!first) return [];
    const all = [first, ...rest];
    const title = all.length < fewest ? undefined : titleOf(first);
    return [{ key, title, first, end: endOf(all), events: all }];
  });
}

/** Without the address that it came from; where its first event is not among them, its id. */
const titleOf = ({ kind, message, runId }: ListedEvent): string =>
  kind === 'Requested' || kind === 'RunStarted' ? message.replace(/ from [\w.:]+$/, '') : runId;

const ends: Readonly<Record<string, RunEnd>> = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunSuperseded: 'ended',
  RunPaused: 'ended',
  RunCancelled: 'ended',
  RunCutOff: 'ended',
};

function endOf(events: readonly ListedEvent[]): RunEnd | undefined {
  const last = events.findLast(({ kind }) => ends[kind] !== undefined);
  return last && ends[last.kind];
}

/** The last groups, whole, that have so many events together. */
export function lastGroups(groups: readonly EventGroup[], most: number): readonly EventGroup[] {
  let count = 0;
  const first = groups.findLastIndex(({ events }) => {
    count += events.length;
    return count >= most;
  });
  return first <= 0 ? groups : groups.slice(first);
}

const isOfPlan = (before: ListedEvent, { cluster }: ListedEvent): boolean =>
  (before.kind === 'WaypointStarted' || before.kind === 'PlanExplained') && before.cluster === cluster;

export function linesOf(events: readonly ListedEvent[]): readonly EventLine[] {
  const lines: { event: ListedEvent; cluster: string | undefined; plan: ListedEvent[] }[] = [];
  let cluster: string | undefined;
  for (const event of events) {
    const before = lines.at(-1);
    if (before && event.kind === 'PlanExplained' && isOfPlan(before.event, event)) {
      before.plan.push(event);
      continue;
    }
    const shown = event.cluster === cluster ? undefined : event.cluster;
    cluster = event.cluster ?? cluster;
    lines.push({ event, cluster: shown, plan: [] });
  }
  return lines;
}
