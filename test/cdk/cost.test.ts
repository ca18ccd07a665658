/** The bill: what the aims of the project promise, from the counts of a simulated run. */
import { beforeAll, expect, it, vi } from 'vitest';
import { billOf, dollars, idleMonth } from '../../bench/cost/bill.ts';
import { none } from '../../bench/cost/count-calls.ts';
import { type Life, simulateLife } from '../../bench/cost/simulate.ts';

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

it('ten idle clusters cost at most 15 dollars a month, and idle ticks of each of the two schedules at most 0.10', () => {
  const month = idleMonth(life, { clusters: 10, alarms: 12, measures: 4 });
  expect(month.total).toBeLessThanOrEqual(15);
  expect(month.ticks).toBeLessThanOrEqual(0.1);
  expect(month.sourceTicks).toBeGreaterThan(0);
  expect(month.sourceTicks).toBeLessThanOrEqual(0.1);
});

it('drift checks on Lambda compute cost less than half of those in containers', () => {
  const household = { clusters: 10, alarms: 12, measures: 4 };
  const inContainers = idleMonth(life, household);
  const onLambda = idleMonth(life, { ...household, compute: 'lambda' });
  expect(onLambda.driftChecks).toBeLessThan(inContainers.driftChecks / 2);
  expect(onLambda.existing).toBe(inContainers.existing);
});
