/** The bill: what the aims of the project promise, from the counts of a simulated run. */
import { readdirSync } from 'node:fs';
import { beforeAll, expect, it, vi } from 'vitest';
import { dollarsOfCheck } from '#domain/price-of-checks.ts';
import { billOf, dollars, idleMonth } from '../../bench/cost/bill.ts';
import { costOfConsole, requestsOfConsole } from '../../bench/cost/console.ts';
import { none } from '../../bench/cost/count-calls.ts';
import { mediansOf } from '../../bench/cost/medians.ts';
import { modelTable } from '../../bench/cost/model-table.ts';
import { type Life, simulateLife } from '../../bench/cost/simulate.ts';
import { parseOptions } from '../../cdk/options.ts';

let life: Life;
beforeAll(async () => {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  life = await simulateLife();
  vi.unstubAllEnvs();
});

it('the bill of nothing is 0, and every count costs something', () => {
  expect(dollars(billOf(none()))).toBe(0);
  for (const name of Object.keys(none()) as (keyof ReturnType<typeof none>)[])
    expect(dollars(billOf({ ...none(), [name]: 1000 })), name).toBeGreaterThan(0);
});

it('a creation and a change are counted: builds of every stage, transitions, calls, reads and writes', () => {
  for (const counts of [life.creation, life.change]) {
    expect(counts.builds).toBeGreaterThanOrEqual(4);
    expect(counts.transitions).toBeGreaterThan(20);
    expect(counts.tableWrites).toBeGreaterThan(20);
    expect(counts.puts).toBeGreaterThan(4);
    expect(dollars(billOf(counts))).toBeLessThan(0.2);
  }
});

const alarms = readdirSync(new URL('../../docs/aws/runbooks/', import.meta.url)).length + 3;

it('ten idle clusters cost at most 6 dollars a month, and idle ticks of each of the two schedules at most 0.10', () => {
  const month = idleMonth(life, { clusters: 10, alarms });
  expect(month.total).toBeLessThanOrEqual(6);
  expect(month.ticks).toBeLessThanOrEqual(0.1);
  expect(month.sourceTicks).toBeGreaterThan(0);
  expect(month.sourceTicks).toBeLessThanOrEqual(0.1);
});

it('a rotated key costs a dollar a month more, twice at most, and is not rotated in the first seven years unless it is asked for', () => {
  const [first = 0, ...later] = [0, 1, 2, 9].map(
    (rotations) => idleMonth(life, { clusters: 10, alarms, rotations }).existing,
  );
  expect(later.map((one) => Math.round(one - first))).toEqual([1, 2, 2]);
  expect(parseOptions({ admins: '*' }).keyRotationDays).toBeGreaterThan(7 * 365);
});

it('a check costs what plans say of it', () => {
  expect(dollars(billOf(life.check, 'lambda'))).toBeCloseTo(dollarsOfCheck.lambda, 3);
  expect(dollars(billOf(life.check))).toBeCloseTo(dollarsOfCheck.container, 3);
});

it('a console that no one uses costs less than a cent a month, and each request of one that someone uses is counted', () => {
  const { idleMonth: idle, busyDay, calmDay } = costOfConsole();
  expect(idle).toBeGreaterThan(0);
  expect(idle).toBeLessThan(0.01);
  expect(busyDay / calmDay).toBeCloseTo(10);
  expect(requestsOfConsole(1000)).toMatchObject({ api: 0.001, CloudFront: expect.closeTo(0.00117) });
});

it('each step of the model is no slower for a person who waits, and what is built comes before what is not', () => {
  const rows = modelTable();
  for (const [place, { creation, change, question, now }] of rows.entries()) {
    expect(change.seconds).toBeLessThan(creation.seconds);
    const before = rows[place - 1];
    if (before === undefined) continue;
    expect(creation.seconds).toBeLessThanOrEqual(before.creation.seconds);
    expect(change.seconds).toBeLessThanOrEqual(before.change.seconds);
    expect(question.seconds).toBeLessThanOrEqual(before.question.seconds);
    expect(now && !before.now).toBe(false);
  }
});

it('medians of an installation take the place of what is assumed', () => {
  const event = (stage: string, build: number) => ({
    stage,
    phases: { queued: 9, provisioning: 5, build, finalizing: 2 },
  });
  const medians = mediansOf([event('nodes', 10), event('nodes', 30), event('nodes', 20), { stage: 'kubernetes' }]);
  expect(medians).toEqual({ nodes: { queued: 9, before: 14, tool: 20, behind: 2 } });
  expect(modelTable(medians)[0]?.creation.seconds).toBeLessThan(modelTable()[0]?.creation.seconds ?? 0);
});

it('drift checks on Lambda compute cost less than half of those in containers', () => {
  const household = { clusters: 10, alarms };
  const inContainers = idleMonth(life, { ...household, compute: 'container' });
  const onLambda = idleMonth(life, household);
  expect(onLambda.driftChecks).toBeLessThan(inContainers.driftChecks / 2);
  expect(onLambda.existing).toBe(inContainers.existing);
});
