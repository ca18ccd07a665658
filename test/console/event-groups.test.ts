/** Events as one reads them: by run, in the order in which runs end, and plans folded. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventGroups, type ListedEvent, lastGroups, linesOf } from '../../console/model/event-groups.ts';

let number = 0;
const event = (runId: string, kind: string, more: Partial<ListedEvent> = {}): ListedEvent => {
  number += 1;
  const at = new Date(Date.UTC(2026, 10, 23) + 1000 * number).toISOString();
  return { id: String(number), at, runId, level: 'info', kind, message: kind, ...more };
};
const aRun = (runId: string, end = 'RunSucceeded') => [
  event(runId, 'Requested', { message: 'generation 2: changed by anna from 10.0.0.1' }),
  event(runId, 'RunStarted'),
  event(runId, 'PlanMade', { cluster: 'web' }),
  event(runId, end),
];

it('events of a run are together under what was asked for, and what happened last is in the last group', () => {
  const [first, second] = [aRun('one'), aRun('two', 'RunFailed')];
  const groups = eventGroups([...second.slice(0, 1), ...first, ...second.slice(1)]);
  expect(groups.map(({ title, end, events }) => [title, end, events.length])).toEqual([
    ['generation 2: changed by anna', 'succeeded', 4],
    ['generation 2: changed by anna', 'failed', 4],
  ]);
  expect(groups.map(({ key }) => key)).toEqual(['one', 'two']);
});

it('a run of few events, or an event without a run, is not folded, and a run whose start is missing is named by its id', () => {
  const alone = event('', 'Requested');
  const groups = eventGroups([alone, ...aRun('few').slice(0, 2), ...aRun('late').slice(1), ...aRun('late').slice(2)]);
  expect(groups.map(({ title, events }) => [title, events.length])).toEqual([
    [undefined, 1],
    [undefined, 2],
    ['RunStarted', 5],
  ]);
  expect(eventGroups(aRun('cut').map((one) => ({ ...one, kind: 'StageSucceeded' })))[0]?.title).toBe('cut');
});

it('no event is lost in groups and lines, each is there once, and groups are whole where only the last are shown', () => {
  const kinds = fc.constantFrom('Requested', 'WaypointStarted', 'PlanExplained', 'StageSucceeded', 'RunSucceeded');
  const made = fc.record({
    runId: fc.constantFrom('', 'one', 'two'),
    kind: kinds,
    cluster: fc.constantFrom('web', 'db', undefined),
  });
  fc.assert(
    fc.property(fc.array(made, { maxLength: 40 }), fc.nat(40), (list, most) => {
      const events = list.map(({ runId, kind, cluster }) =>
        event(runId, kind, cluster === undefined ? {} : { cluster }),
      );
      const groups = eventGroups(events);
      const idsOf = (shown: typeof groups) =>
        shown.flatMap((group) => linesOf(group.events).flatMap((line) => [line.event, ...line.plan]));
      const ids = idsOf(groups).map(({ id }) => Number(id));
      expect(ids.toSorted((one, other) => one - other)).toEqual(events.map(({ id }) => Number(id)));
      const last = lastGroups(groups, most);
      expect(last).toEqual(groups.slice(groups.length - last.length));
      expect(idsOf(last).length).toBeGreaterThanOrEqual(Math.min(most, events.length));
    }),
  );
});

it('sentences of a plan are folded into the line before them, and a cluster is named where it differs from the one before', () => {
  const lines = linesOf([
    event('one', 'RunStarted'),
    event('one', 'WaypointStarted', { cluster: 'web' }),
    event('one', 'PlanExplained', { cluster: 'web' }),
    event('one', 'PlanExplained', { cluster: 'web' }),
    event('one', 'StageStarted', { cluster: 'web', stage: 'nodes' }),
    event('one', 'StageStarted', { cluster: 'db', stage: 'nodes' }),
    event('one', 'PlanExplained', { cluster: 'db' }),
  ]);
  expect(lines.map(({ event: { kind }, cluster, plan }) => [kind, cluster, plan.length])).toEqual([
    ['RunStarted', undefined, 0],
    ['WaypointStarted', 'web', 2],
    ['StageStarted', undefined, 0],
    ['StageStarted', 'db', 0],
    ['PlanExplained', undefined, 0],
  ]);
});
