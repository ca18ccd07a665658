/** A run as a table: made of events and of its plan, in whatever state both are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '#contracts/records.ts';
import type { RunPlan } from '#contracts/run-plan.ts';
import { type PlannedStageName, type RunToShow, runTable, stageColumns } from '../../console/model/run-rows.ts';

const runId = 'shop-abcde-g2-a1';
let second = 0;
const event = (kind: string, more: Partial<RunEvent> = {}): RunEvent => ({
  at: new Date(Date.UTC(2026, 10, 23) + 1000 * second++).toISOString(),
  runId,
  level: 'info',
  kind,
  cluster: 'web',
  message: kind,
  ...more,
});
const started = (waypoint: string, title: string) => event('WaypointStarted', { waypoint, message: title });
const ended = (kind: string, waypoint: string, stage: PlannedStageName, more: Partial<RunEvent> = {}) =>
  event(kind, { waypoint, stage, attempt: 1, seconds: 2, ...more });
const way = (number: number, direction: 'grow' | 'shrink', starts: string[], stages: readonly PlannedStageName[]) => ({
  number,
  direction,
  title: `${direction}: something`,
  lines: [],
  forwardOnly: direction === 'shrink',
  starts,
  stages: stages.map((stage) => ({ stage, reasons: [`work of ${stage}`] })),
});
const plan: RunPlan['clusters'][number] = {
  cluster: 'web',
  waypoints: [
    way(1, 'grow', ['w00'], ['infrastructure', 'configuration', 'nodes']),
    way(2, 'shrink', [], ['nodes', 'infrastructure']),
  ],
};
type Progress = NonNullable<RunToShow['cluster']['progress']>;
const working = (stage: PlannedStageName): RunToShow['cluster'] => ({
  name: 'web',
  status: 'Running',
  progress: { stage, waypoint: 1, waypoints: 2 } as Progress,
});
const show = (events: readonly RunEvent[], more: Partial<RunToShow> = {}) =>
  runTable({ cluster: { name: 'web', status: 'Converged', progress: null }, runId, active: false, events, ...more });
const statesOf = (row: ReturnType<typeof runTable>[number] | undefined) =>
  stageColumns.map((stage) => row?.cells[stage].state);

describe('the table of a run', () => {
  it('a run in progress shows what is done, what runs, what is to come, and what has no work', () => {
    const events = [
      started('w00', 'grow: something'),
      ended('StageSucceeded', 'w00', 'infrastructure', { counts: { hostsCreated: 3 } }),
    ];
    const rows = show(events, { active: true, cluster: working('configuration'), plan });
    expect(rows.map(({ state, title }) => [state, title])).toEqual([
      ['inProgress', 'grow: something'],
      ['toCome', 'shrink: something'],
    ]);
    expect(statesOf(rows[0])).toEqual(['done', 'running', 'none', 'toCome', 'none']);
    expect(statesOf(rows[1])).toEqual(['toCome', 'none', 'none', 'toCome', 'none']);
    expect(rows[0]?.cells.infrastructure).toMatchObject({
      seconds: 2,
      counts: { hostsCreated: 3 },
      reasons: ['work of infrastructure'],
    });
    expect(rows[0]?.cells.configuration.log).toEqual({ waypoint: 'w00', undo: false, attempt: 1 });
  });

  it('a retried stage is shown as running with the number of its try', () => {
    const events = [started('w00', 'grow: x'), ended('StageRetried', 'w00', 'infrastructure')];
    const [row] = show(events, { active: true, cluster: working('infrastructure'), plan });
    expect(row?.cells.infrastructure).toMatchObject({ state: 'running', attempt: 2, log: { attempt: 2 } });
  });

  it('a stage shows since when its current try runs, and nothing while its container starts', () => {
    const since = (events: readonly RunEvent[]) =>
      show([started('w00', 'grow: x'), ...events], { active: true, cluster: working('infrastructure'), plan })[0]?.cells
        .infrastructure.since;
    const first = ended('StageStarted', 'w00', 'infrastructure');
    const again = ended('StageRetried', 'w00', 'infrastructure');
    const second = ended('StageStarted', 'w00', 'infrastructure', { attempt: 2 });
    expect([since([]), since([first]), since([first, again]), since([first, again, second])]).toEqual([
      ...[undefined, first.at, undefined, second.at],
    ]);
  });

  it('a stage that is being undone shows since when and where its log is, until the undo has ended', () => {
    const events = [
      started('w00', 'grow: x'),
      ended('StageSucceeded', 'w00', 'infrastructure'),
      ended('StageFailed', 'w00', 'configuration'),
      ended('UndoStarted', 'w00', 'infrastructure'),
    ];
    const cluster = { ...working('configuration'), status: 'RollingBack' as const };
    const cell = (more: readonly RunEvent[]) =>
      show([...events, ...more], { active: true, cluster, plan })[0]?.cells.infrastructure;
    const log = { waypoint: 'w00', undo: true, attempt: 1 };
    expect(cell([])).toMatchObject({ state: 'undoing', since: events[3]?.at, log });
    expect(cell([ended('StageUndone', 'w00', 'infrastructure')])).toMatchObject({ state: 'undone', log });
  });

  it('a grow that was undone shows what failed and what was undone', () => {
    const events = [
      started('w00', 'grow: x'),
      ended('StageSucceeded', 'w00', 'infrastructure'),
      ended('StageFailed', 'w00', 'configuration'),
      ended('StageUndone', 'w00', 'infrastructure'),
      event('RolledBack'),
    ];
    const [row, next] = show(events, { plan });
    expect([next?.state, statesOf(next)]).toEqual(['notReached', ['notReached', 'none', 'none', 'notReached', 'none']]);
    expect([row?.state, statesOf(row)]).toEqual(['undone', ['undone', 'failed', 'none', 'notReached', 'none']]);
    expect(row?.cells.infrastructure.log).toEqual({ waypoint: 'w00', undo: true, attempt: 1 });
  });

  it('a waypoint that was started again stays one row, and what it did not repeat was done before', () => {
    const planned = { ...plan, waypoints: [way(1, 'shrink', ['w00', 'w01'], ['nodes', 'infrastructure'])] };
    const events = [
      started('w00', 'shrink: x'),
      ended('StageSucceeded', 'w00', 'nodes'),
      ended('StageFailed', 'w00', 'infrastructure'),
      started('w01', 'shrink: x'),
      ended('StageSucceeded', 'w01', 'infrastructure'),
      event('WaypointReached'),
    ];
    const rows = show(events, { plan: planned });
    expect(rows.map(({ state }) => state)).toEqual(['reached']);
    expect(statesOf(rows[0])).toEqual(['done', 'none', 'none', 'done', 'none']);
    expect(rows[0]?.cells.infrastructure.log?.waypoint).toBe('w01');
  });

  it('a run of an older release, without a plan, is shown by its events', () => {
    const events = [
      event('WaypointStarted', { message: 'grow: 2 nodes' }),
      event('PlanExplained', { message: 'made: 2 nodes' }),
      event('StageSucceeded', { stage: 'infrastructure' }),
      event('WaypointReached'),
      event('WaypointStarted', { message: 'shrink: 1 node' }),
    ];
    const rows = show(events);
    expect(rows.map(({ number, direction, state }) => [number, direction, state])).toEqual([
      [1, 'grow', 'reached'],
      [2, 'shrink', 'stopped'],
    ]);
    expect(rows[0]?.lines).toEqual([{ mark: '·', text: 'made: 2 nodes' }]);
    expect(rows[0]?.cells.infrastructure.log).toEqual({ waypoint: 'w00', undo: false, attempt: 1 });
  });

  it('events of other runs and clusters change nothing', () => {
    const events = [
      started('w00', 'grow: x'),
      { ...ended('StageFailed', 'w00', 'nodes'), runId: 'other' },
      ended('StageFailed', 'w00', 'nodes', { cluster: 'b' }),
    ];
    expect(show(events, { plan })).toEqual(show(events.slice(0, 1), { plan }));
  });

  it('a table is made of any events in any order', () => {
    const kinds = [
      'WaypointStarted',
      'PlanExplained',
      'WaypointReached',
      'RolledBack',
      'StageStarted',
      'UndoStarted',
      'StageSucceeded',
      'StageFailed',
      'StageUndone',
      'Unknown',
    ];
    const anyEvent = fc.record({
      kind: fc.constantFrom(...kinds),
      waypoint: fc.constantFrom(undefined, 'w00', 'w01', 'w7'),
      stage: fc.constantFrom(undefined, 'drift' as const, ...stageColumns),
    });
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.boolean(), fc.boolean(), (list, active, planned) => {
        const events = list.map(({ kind, waypoint, stage }) =>
          event(kind, { ...(waypoint && { waypoint }), ...(stage && { stage }) }),
        );
        const rows = show(events, { active, cluster: working('nodes'), ...(planned && { plan }) });
        for (const row of rows) expect(Object.keys(row.cells)).toEqual([...stageColumns]);
        expect(rows.filter(({ state }) => state === 'inProgress').length).toBeLessThanOrEqual(active ? 1 : 0);
      }),
    );
  });
});
