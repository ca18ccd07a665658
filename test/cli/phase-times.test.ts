/** Where the time of a run went. */
import { expect, it } from 'vitest';
import { phaseTimes } from '#cli/print/phase-times.ts';
import type { RunEvent } from '#contracts/records.ts';

const event = (stage: 'nodes' | 'kubernetes', phases?: RunEvent['phases'], runId = 'r1'): RunEvent => ({
  at: '2026-11-24T10:00:00.000Z',
  runId,
  level: 'info',
  kind: 'StageSucceeded',
  stage,
  message: 'done',
  ...(phases && { phases }),
});

it('phases of builds are added up by stage: waiting, starting, the tool, and what comes after it', () => {
  const whole = { submitted: 0, queued: 2, provisioning: 9, install: 1, build: 41, post_build: 1, finalizing: 3 };
  const events = [event('kubernetes', whole), event('nodes', { queued: 1, build: 4 }), event('kubernetes', whole)];
  expect(phaseTimes(events, 'r1')).toEqual([
    { stage: 'kubernetes', builds: 2, queue: 4, start: 20, tool: 82, end: 8 },
    { stage: 'nodes', builds: 1, queue: 1, start: 0, tool: 4, end: 0 },
  ]);
});

it('events of other runs and those without a build do not count', () => {
  expect(phaseTimes([event('nodes'), event('nodes', { build: 9 }, 'r2')], 'r1')).toEqual([]);
});
