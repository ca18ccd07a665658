/** Counts and prices to dollars. */
import { readdirSync } from 'node:fs';
import { assumptions } from './assumptions.ts';
import type { Counts } from './count-calls.ts';
import { type Compute, driftCheck, now } from './model.ts';
import book from './prices.json' with { type: 'json' };
import type { Life } from './simulate.ts';

/** Dollars by what they are for. */
export type Bill = Readonly<Record<string, number>>;

const price = book.prices;
const GB = 1e9;

/** `compute`: what a check for drift, the only build of these counts, runs on. */
export function billOf(counts: Counts, compute: Compute = 'container'): Bill {
  const { logBytes, functionSeconds, functionGb, logPutsOfBuildMinute, keyRequestsOfBuild } = assumptions;
  const { transitions, calls, buildMinutes } = counts;
  const logs = transitions * logBytes.transition + calls * logBytes.call + buildMinutes * logBytes.buildMinute;
  return {
    builds:
      compute === 'lambda'
        ? counts.builds * driftCheck({ ...now, checksOn: compute }).dollars
        : buildMinutes * price.buildMinute,
    'state machines': counts.transitions * price.transition,
    functions: counts.calls * (price.lambdaRequest + functionSeconds * functionGb * price.lambdaGbSecond),
    table: counts.tableReads * price.tableReadUnit + counts.tableWrites * price.tableWriteUnit,
    bucket: (counts.puts + buildMinutes * logPutsOfBuildMinute) * price.objectPut + counts.gets * price.objectGet,
    'calls of the key': counts.builds * keyRequestsOfBuild * price.kmsRequest,
    api: counts.apiRequests * price.apiRequest,
    logs: (logs / GB) * (price.logGb + 3 * price.logGbMonth),
    traces: counts.calls * price.xrayTrace,
  };
}

/** An alarm is billed by its metrics: each page is one, of which one has two metrics and one has three. */
export const alarmMetrics = readdirSync(new URL('../../docs/aws/runbooks/', import.meta.url)).length + 3;

/** Costs without any activity, after that many rotations of the key: key material that was rotated is billed as well, for two rotations at most. */
export function existingBill(clusters: number, rotations = 0): Bill {
  const { objectBytesOfCluster, tableBytesOfCluster, registry } = assumptions;
  const tableGb = (clusters * tableBytesOfCluster) / GB;
  return {
    key: price.kmsKeyMonth + Math.min(2, rotations) * price.kmsRotationMonth,
    // Metrics are billed in hours in which one is above 0.
    alarms: alarmMetrics * price.alarm,
    registry: registry.gbOfRelease * registry.releases * price.registryGbMonth,
    'kept in bucket': ((clusters * objectBytesOfCluster) / GB) * price.objectGbMonth,
    'kept in table': tableGb * (price.tableGbMonth + price.tableBackupGbMonth),
  };
}

export interface IdleMonth {
  readonly clusters: number;
  /** The scheduler's ticks. */
  readonly ticks: number;
  /** Those of the schedule that asks git repositories. */
  readonly sourceTicks: number;
  /** Those of the schedule that retries notifications. */
  readonly sendTicks: number;
  readonly driftChecks: number;
  readonly agents: number;
  readonly existing: number;
  readonly total: number;
}

export interface Household {
  readonly clusters: number;
  /** Compute of drift checks. @default lambda */
  readonly compute?: Compute;
  /** What the agent of each costs. @default 0: they have none */
  readonly agent?: number;
  /** Price of the key, until then. @default 0 */
  readonly rotations?: number;
}

/** A month without changes. */
export function idleMonth(life: Life, { clusters, compute = 'lambda', rotations, agent = 0 }: Household): IdleMonth {
  const { driftCheck, daysOfMonth } = assumptions;
  const everyFive = (counts: Life['tick']): number => dollars(times(billOf(counts), (daysOfMonth * 24 * 60) / 5));
  const daily = dollars(times(billOf(life.dailyTick), daysOfMonth));
  const [ticks, sourceTicks, sendTicks] = [
    everyFive(life.tick),
    everyFive(life.sourceTick) + daily,
    everyFive(life.sendTick),
  ];
  const checks = (clusters * daysOfMonth * 24) / driftCheck.everyHours;
  const driftChecks = dollars(times(billOf(life.check, compute), checks));
  const existing = dollars(existingBill(clusters, rotations));
  const agents = clusters * agent;
  const total = ticks + sourceTicks + sendTicks + driftChecks + existing + agents;
  return { clusters, ticks, sourceTicks, sendTicks, driftChecks, agents, existing, total };
}

export function dollars(bill: Bill): number {
  return Object.values(bill).reduce((sum, one) => sum + one, 0);
}

function times(bill: Bill, factor: number): Bill {
  return Object.fromEntries(Object.entries(bill).map(([name, one]) => [name, one * factor]));
}
