/** The bill: what the aims of the project promise, from the counts of a simulated run. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { dollarsOfCheck } from '#domain/price-of-checks.ts';
import { agentMonth } from '../../bench/cost/agents.ts';
import { alarmMetrics, billOf, dollars, type IdleMonth, idleMonth } from '../../bench/cost/bill.ts';
import { costOfConsole, requestsOfConsole } from '../../bench/cost/console.ts';
import { none } from '../../bench/cost/count-calls.ts';
import { mediansOf } from '../../bench/cost/medians.ts';
import { type ModelRow, modelTable } from '../../bench/cost/model-table.ts';
import { type Life, simulateLife } from '../../bench/cost/simulate.ts';
import { parseOptions } from '../../cdk/options.ts';
import { installation, resourcesOf } from './synthesised.ts';

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

it('ten idle clusters cost at most 6.1 dollars a month, and idle ticks of each of the three schedules at most 0.10', () => {
  const month = idleMonth(life, { clusters: 10 });
  expect(month.total).toBeLessThanOrEqual(6.1);
  expect(month.ticks).toBeLessThanOrEqual(0.1);
  expect(month.sourceTicks).toBeGreaterThan(0);
  expect(month.sourceTicks).toBeLessThanOrEqual(0.1);
  expect(month.sendTicks).toBeGreaterThan(0);
  expect(month.sendTicks).toBeLessThanOrEqual(0.1);
});

it('an agent costs at most 5 cents a month, 30 with an autoscaler, and ten idle clusters with agents at most 6.5 dollars', () => {
  const [agent = 0, autoscaled = 0] = [false, true].map((one) => dollars(agentMonth({ autoscaled: one }).bill));
  expect(agent).toBeGreaterThan(0.01);
  expect(agent).toBeLessThanOrEqual(0.05);
  expect(autoscaled).toBeLessThanOrEqual(0.3);
  expect(idleMonth(life, { clusters: 10, agent }).total).toBeLessThanOrEqual(6.5);
});

it('a rotated key costs a dollar a month more, twice at most, and is not rotated in the first seven years unless it is asked for', () => {
  const [first = 0, ...later] = [0, 1, 2, 9].map((rotations) => idleMonth(life, { clusters: 10, rotations }).existing);
  expect(later.map((one) => Math.round(one - first))).toEqual([1, 2, 2]);
  expect(parseOptions({ admins: '*' }).keyRotationDays).toBeGreaterThan(7 * 365);
});

it('the calculated cost of a drift check equals the cost that plans print', () => {
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
  expect(medians).toEqual({ nodes: { queued: 9, before: 14, tool: 20, after: 2 } });
  expect(modelTable(medians)[0]?.creation.seconds).toBeLessThan(modelTable()[0]?.creation.seconds ?? 0);
});

it('drift checks on Lambda compute cost less than half of those in containers', () => {
  const household = { clusters: 10 };
  const inContainers = idleMonth(life, { ...household, compute: 'container' });
  const onLambda = idleMonth(life, household);
  expect(onLambda.driftChecks).toBeLessThan(inContainers.driftChecks / 2);
  expect(onLambda.existing).toBe(inContainers.existing);
});

it('each metric of an alarm is counted', () => {
  const alarms = resourcesOf(installation.observability, 'AWS::CloudWatch::Alarm');
  const metricsOf = (metrics: unknown): number =>
    Array.isArray(metrics) ? metrics.filter((metric) => Object(metric).MetricStat !== undefined).length : 1;
  const counted = alarms.reduce((sum, { Properties }) => sum + metricsOf(Properties.Metrics), 0);
  expect(counted).toBe(alarmMetrics);
});

describe('docs/aws/cost.md', () => {
  const page = readFileSync(new URL('../../docs/aws/cost.md', import.meta.url), 'utf8');
  /** Cells of the rows that begin so, and of those after them up to the end of their table. */
  const rowsFrom = (begin: string): readonly (readonly string[])[] => {
    const table = page.slice(page.indexOf(`\n| ${begin} |`) + 1).split('\n\n')[0] ?? '';
    return table.split('\n').map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('*', '').trim()),
    );
  };

  it('the page says what is counted of a creation, a change and a check', () => {
    const words = ({ transitions, calls, builds }: Life['creation']): string =>
      `${transitions} transitions, ${calls} calls of functions, ${builds} build${builds === 1 ? '' : 's'} of `;
    const [creation, change, check] = rowsFrom('creation');
    expect(creation?.[1]).toBe(`${words(life.creation)}${life.creation.buildMinutes} minutes`);
    expect(change?.[1]).toBe('the same');
    expect(words(life.change)).toBe(words(life.creation));
    expect(check?.[1]).toContain(words(life.check));
    const said = [creation, change, check].map((row) => row?.[2]);
    const rounded = (value: number): string => value.toPrecision(1);
    expect(said).toEqual([
      rounded(dollars(billOf(life.creation))),
      rounded(dollars(billOf(life.change))),
      rounded(dollars(billOf(life.check, 'lambda'))),
    ]);
  });

  it('the page says what an idle month costs, to the percent', () => {
    const months: readonly IdleMonth[] = [
      ...[1, 10, 100].map((clusters) => idleMonth(life, { clusters })),
      ...[false, true].map((autoscaled) =>
        idleMonth(life, { clusters: 10, agent: dollars(agentMonth({ autoscaled }).bill) }),
      ),
      ...[1, 2].map((rotations) => idleMonth(life, { clusters: 10, rotations })),
      idleMonth(life, { clusters: 10, compute: 'container' }),
    ];
    const rows = rowsFrom('1 cluster').slice(0, months.length);
    for (const [place, { ticks, sourceTicks, sendTicks, driftChecks, existing, total }] of months.entries()) {
      const [name, ...said] = rows[place] ?? [];
      const computed = [ticks + sourceTicks + sendTicks, driftChecks, existing, total];
      for (const [column, value] of computed.entries())
        expect(Math.abs(Number(said[column]) - value), `${name}, column ${column + 1}: ${value}`).toBeLessThan(
          0.005 + value / 100,
        );
    }
  });

  it('the page says what the model of builds computes, row by row', () => {
    const cell = ({ seconds, dollars: price }: ModelRow['check'], digits: number): string =>
      `${Math.round(seconds).toLocaleString('en-US')} s, $${price.toFixed(digits)}`;
    const computed = modelTable().map(({ creation, change, check, question }) => [
      ...[cell(creation, 3), cell(change, 3), cell(check, 4), cell(question, 4)],
    ]);
    expect(rowsFrom('0.1.0').map(([, ...cells]) => cells)).toEqual(computed);
  });
});
