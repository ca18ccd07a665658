/** The numbers that alarms watch: leases that are never freed, runs that do not end. */
import { expect, it } from 'vitest';
import type { RunRecord } from '#contracts/records.ts';
import { measureTick } from '#functions/pipeline/schedule/tick-measures.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

const key = { namespace: 'team', name: 'shop' };
const running = { ...key, status: 'Running' as const };
const lease = { owner: 'arn', fence: 1, expiresAt: '2026-11-20T12:00:00.000Z' };
const run = (runId: string, startedAt: string, status: RunRecord['status'] = 'Running'): RunRecord => ({
  namespace: key.namespace,
  manifest: key.name,
  runId,
  generation: 1,
  attempt: 1,
  reason: '',
  status,
  queuedAt: '2026-11-20T06:00:00.000Z',
  startedAt,
  clusters: {},
});

it('the measures are zero while nothing is due, and for a run that was never started', async () => {
  const none = { leaseOverdueSeconds: 0, longestRunSeconds: 0, checksOverdueSeconds: 0 };
  expect(await measureTick([], fakeDeps())).toEqual(none);
  expect(await measureTick([{ ...running, runId: 'r1', lease: null }], fakeDeps())).toEqual(none);
});

it('the measures are the oldest expired lease and the longest active run', async () => {
  const deps = fakeDeps();
  await deps.runs.put(run('r1', '2026-11-20T11:00:00.000Z'));
  await deps.runs.put(run('r2', '2026-11-20T10:00:00.000Z'));
  await deps.runs.put(run('r3', '2026-11-20T08:00:00.000Z', 'Failed'));
  deps.clock.advance(900);
  const due = [
    { ...running, runId: 'r1', lease: { ...lease, expiresAt: '2026-11-20T12:30:00.000Z' } },
    { ...running, runId: 'r2', lease },
    { ...running, runId: 'r3', lease },
  ];
  expect(await measureTick(due, deps)).toMatchObject({ leaseOverdueSeconds: 900, longestRunSeconds: 8100 });
});

it('the measures omit a run that cannot be read', async () => {
  const deps = fakeDeps();
  await deps.runs.put(run('r1', '2026-11-20T11:00:00.000Z'));
  const get = deps.runs.get.bind(deps.runs);
  deps.runs.get = async (of, runId) => (runId === 'r2' ? Promise.reject(new Error('broken')) : get(of, runId));
  const due = [
    { ...running, runId: 'r2', lease },
    { ...running, runId: 'r1', lease },
  ];
  expect((await measureTick(due, deps)).longestRunSeconds).toBe(3600);
});

it('the measures have the check or retry that is late by most; runs and those that are in time do not count', async () => {
  const at = (status: 'Done' | 'Failed' | 'Running', dueAt: string) => ({
    ...key,
    status,
    dueAt,
    runId: 'r1',
    lease: null,
  });
  const due = [
    at('Done', '2026-11-20T11:50:00.000Z'),
    at('Failed', '2026-11-20T11:00:00.000Z'),
    at('Running', '2026-11-20T08:00:00.000Z'),
    { ...at('Done', '2026-11-20T09:00:00.000Z'), lease },
  ];
  expect(await measureTick(due, fakeDeps())).toMatchObject({ checksOverdueSeconds: 3600 });
  // What is due within a few ticks is not late, and costs nothing.
  expect(await measureTick(due.slice(0, 1), fakeDeps())).toMatchObject({ checksOverdueSeconds: 0 });
});
