/** Pure: counts and prices to dollars. */
import { assumptions } from './assumptions.ts';
import type { Counts } from './count-calls.ts';
import book from './prices.json' with { type: 'json' };
import type { Life } from './simulate.ts';

/** Dollars by what they are for. */
export type Bill = Readonly<Record<string, number>>;

const price = book.prices;
const GB = 1e9;

/** What builds run on: containers of CodeBuild, or its Lambda compute of 2 GB, which is not rounded up to minutes. */
export type Compute = 'container' | 'lambda';

export function billOf(counts: Counts, compute: Compute = 'container'): Bill {
  const { logBytes, functionSeconds, functionGb } = assumptions;
  const logs = counts.transitions * logBytes.transition + counts.calls * logBytes.call + counts.builds * logBytes.build;
  return {
    builds: counts.buildMinutes * (compute === 'lambda' ? price.lambdaBuildMinute : price.buildMinute),
    'state machines': counts.transitions * price.transition,
    functions: counts.calls * (price.lambdaRequest + functionSeconds * functionGb * price.lambdaGbSecond),
    table: counts.tableReads * price.tableReadUnit + counts.tableWrites * price.tableWriteUnit,
    bucket: counts.puts * price.objectPut + counts.gets * price.objectGet,
    api: counts.apiRequests * price.apiRequest,
    logs: (logs / GB) * (price.logGb + 3 * price.logGbMonth),
    traces: counts.calls * price.xrayTrace,
  };
}

/** Costs without any activity. */
export function existingBill(clusters: number, alarms: number, measures: number): Bill {
  const { objectBytesOfCluster, tableBytesOfCluster } = assumptions;
  const tableGb = (clusters * tableBytesOfCluster) / GB;
  return {
    key: price.kmsKeyMonth,
    alarms: alarms * price.alarm + measures * price.customMetric,
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
  readonly driftChecks: number;
  readonly existing: number;
  readonly total: number;
}

export interface Household {
  readonly clusters: number;
  readonly alarms: number;
  /** Custom metrics. */
  readonly measures: number;
  /** Of drift checks. @default container */
  readonly compute?: Compute;
}

/** A month without changes. */
export function idleMonth(life: Life, { clusters, alarms, measures, compute }: Household): IdleMonth {
  const { driftCheck, daysOfMonth } = assumptions;
  const everyFive = (counts: Life['tick']): number => dollars(times(billOf(counts), (daysOfMonth * 24 * 60) / 5));
  const [ticks, sourceTicks] = [everyFive(life.tick), everyFive(life.sourceTick)];
  const checks = (clusters * daysOfMonth * 24) / driftCheck.everyHours;
  const driftChecks = dollars(times(billOf(life.check, compute), checks));
  const existing = dollars(existingBill(clusters, alarms, measures));
  const total = ticks + sourceTicks + driftChecks + existing;
  return { clusters, ticks, sourceTicks, driftChecks, existing, total };
}

export function dollars(bill: Bill): number {
  return Object.values(bill).reduce((sum, one) => sum + one, 0);
}

function times(bill: Bill, factor: number): Bill {
  return Object.fromEntries(Object.entries(bill).map(([name, one]) => [name, one * factor]));
}
