/** `npm run cost`: what a creation, a change and an idle month cost, from list prices and a simulated run. `--json` for JSON. */
import { agentMonth } from './agents.ts';
import { assumptions } from './assumptions.ts';
import { billOf, dollars, existingBill, type IdleMonth, idleMonth } from './bill.ts';
import { costOfConsole } from './console.ts';
import type { Compute } from './model.ts';
import { modelLines, modelTable } from './model-table.ts';
import book from './prices.json' with { type: 'json' };
import { simulateLife } from './simulate.ts';

process.env.KUBELOOM_LOG = 'none';
const life = await simulateLife();
const monthsOn = (compute: Compute) => [1, 10, 100].map((clusters) => idleMonth(life, { clusters, compute }));
const [months, containerMonths] = [monthsOn('lambda'), monthsOn('container')];
const rotated = [1, 2].map((rotations) => idleMonth(life, { clusters: 10, rotations }));
const agentDollars = [false, true].map((autoscaled) => dollars(agentMonth({ autoscaled }).bill));
const withAgents = agentDollars.map((agent) => idleMonth(life, { clusters: 10, agent }));
const claudie = Object.entries(book.claudie).flatMap(([name, parts]) =>
  typeof parts === 'string' ? [] : [{ name, month: dollars(parts) }],
);
const result = {
  prices: { date: book.date, region: book.region, currency: book.currency, unconfirmed: book.unconfirmed },
  counts: life,
  creation: { ...billOf(life.creation), total: dollars(billOf(life.creation)) },
  change: { ...billOf(life.change), total: dollars(billOf(life.change)) },
  check: { ...billOf(life.check, 'lambda'), total: dollars(billOf(life.check, 'lambda')) },
  checkInContainer: { ...billOf(life.check), total: dollars(billOf(life.check)) },
  idleMonth: months,
  idleMonthInContainers: containerMonths,
  idleMonthAfterRotations: rotated,
  agentMonth: agentDollars,
  idleMonthWithAgents: withAgents,
  existing: existingBill(10),
  console: costOfConsole(),
  model: modelTable(),
  claudieMonth: claudie,
  assumptions,
};

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else {
  const usd = (value: number): string => `$${value.toFixed(value < 0.1 ? 4 : 2)}`.padStart(9);
  const counted = ({ transitions, calls, builds, buildMinutes }: typeof life.creation): string =>
    `${transitions} transitions, ${calls} calls of functions, ${builds} builds of ${buildMinutes} minutes`;
  const row = ({ clusters, ticks, sourceTicks, sendTicks, driftChecks, existing, total }: IdleMonth): string =>
    `${String(clusters).padStart(4)} clusters                    ${usd(ticks + sourceTicks + sendTicks)}     ${usd(driftChecks)} ${usd(existing)} ${usd(total)}`;
  const lines = [
    `List prices of ${book.region}, ${book.date}, free tiers ignored; counts of a simulated run (2 providers, 3 nodes, a load balancer).`,
    `creation ${usd(result.creation.total)}   ${counted(life.creation)}`,
    `change   ${usd(result.change.total)}   ${counted(life.change)}`,
    `check    ${usd(result.check.total)}   ${counted(life.check)}`,
    '',
    'A month in which nothing changes:    ticks  drift checks   storage     total',
    ...months.map(row),
    `The same with an agent in each of 10 clusters (${usd(agentDollars[0] ?? 0).trim()} a cluster), and with an autoscaler, too (${usd(agentDollars[1] ?? 0).trim()} a cluster):`,
    ...withAgents.map(row),
    'The same after the first and the second rotation of the key (rotated key material is billed), with 10 clusters:',
    ...rotated.map(row),
    'The same with drift checks in containers (lambdaRunners=):',
    ...containerMonths.map(row),
    ...claudie.map(({ name, month }) => `the management cluster of Claudie on ${name}, any number: ${usd(month)}`),
    `the web console, where it is deployed: ${usd(result.console.idleMonth)} a month while no one looks; a working day of one person ${usd(result.console.busyDay)} where something happens all the time, ${usd(result.console.calmDay)} where nothing does`,
    '',
    ...modelLines(),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
process.exit(0);
