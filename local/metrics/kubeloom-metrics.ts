/** The metrics of Kubeloom on one machine: what its stores hold at the moment of the question. */
import type { Build } from 'aws-on-loopback/codebuild/build-store.ts';
import type { ExecutionCount } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import { jobOf } from '#contracts/job.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { firstToEnd, knownExpiries, renewalOf } from '#domain/expiry.ts';
import { type MeasureName, measures } from '#domain/measures.ts';
import { type Reminders, waitingNow } from '#domain/reminders.ts';
import { everyHead } from '#functions/pipeline/records/stored-manifest.ts';
import { storedReminders } from '#functions/pipeline/schedule/remind-of-waiting.ts';
import type { Using } from '#functions/ports.ts';
import type { MetricFamily, Sample } from './exposition.ts';

/** Help texts; docs/monitoring.md and the dashboard name the same. */
export const metricHelp = {
  kubeloom_manifests: 'manifests by status',
  kubeloom_clusters: 'clusters by status',
  kubeloom_cluster_failures: 'clusters whose last failure is not repaired, by class and code',
  kubeloom_certificates_end_seconds:
    'when the first certificate of all clusters ends, as Unix time; absent where none is known',
  kubeloom_agents_silent: 'clusters whose agent does not report, as their last check found it',
  kubeloom_waiting: 'what waits for a person, by kind, as the daily look found it',
  kubeloom_waiting_since_seconds:
    'since when the one that waits longest waits, by kind, as Unix time; absent where nothing waits',
  kubeloom_executions: 'executions of the last 90 days by state machine and status; reconcile-manifest are the runs',
  kubeloom_executions_waiting: 'executions that are queued',
  kubeloom_run_seconds: 'time that runs of the last 90 days took, by status',
  kubeloom_builds: 'builds of the last 90 days by what they did and status',
  kubeloom_builds_queued: 'builds that are queued',
  kubeloom_stage_seconds: 'time that builds of the last 90 days took, without waiting, by stage or question',
  kubeloom_lease_overdue_seconds: measures.leaseOverdueSeconds,
  kubeloom_longest_run_seconds: measures.longestRunSeconds,
  kubeloom_checks_overdue_seconds: measures.checksOverdueSeconds,
  kubeloom_drift_left: measures.driftLeft,
  kubeloom_incomplete_checks: measures.incompleteChecks,
} as const;
type MetricName = keyof typeof metricHelp;

/** What the platform knows, apart from the table. */
export interface PlatformNumbers {
  readonly executions: readonly ExecutionCount[];
  readonly builds: readonly Build[];
  /** Last values, by the name of a measure; absent until a function gave one. */
  readonly measured: ReadonlyMap<string, number>;
}

export async function kubeloomMetrics(
  deps: Using<'manifests.listHeads' | 'clusters.list' | 'artifacts.getText'>,
  { executions, builds, measured }: PlatformNumbers,
): Promise<readonly MetricFamily[]> {
  const manifests = await Array.fromAsync(everyHead(deps));
  const clusters = (await Promise.all(manifests.map((key) => deps.clusters.list(key)))).flat();
  const ended = executions.filter(({ machine, status }) => machine === 'reconcile-manifest' && status !== 'RUNNING');
  return [
    gauge(
      'kubeloom_manifests',
      counted(manifests, ({ status }) => ({ status })),
    ),
    gauge(
      'kubeloom_clusters',
      counted(clusters, ({ status }) => ({ status })),
    ),
    gauge(
      'kubeloom_cluster_failures',
      counted(clusters.flatMap(failureOf), (labels) => labels),
    ),
    gauge('kubeloom_certificates_end_seconds', certificatesEnd(clusters)),
    gauge('kubeloom_agents_silent', [
      { value: clusters.filter(({ drift }) => drift?.agentSilent !== undefined).length },
    ]),
    ...waitingFamilies(await storedReminders(deps)),
    gauge(
      'kubeloom_executions',
      executions
        .filter(({ waits }) => !waits)
        .map(({ machine, status, number }) => ({ labels: { machine, status }, value: number })),
    ),
    gauge('kubeloom_executions_waiting', [
      { value: sum(executions.filter(({ waits }) => waits).map(({ number }) => number)) },
    ]),
    summary(
      'kubeloom_run_seconds',
      ended.map(({ status, number, seconds }) => ({ labels: { status }, number, seconds })),
    ),
    gauge(
      'kubeloom_builds',
      counted(builds, (build) => ({ stage: stageOf(build), status: build.status })),
    ),
    gauge('kubeloom_builds_queued', [{ value: builds.filter(isQueued).length }]),
    summary('kubeloom_stage_seconds', stageTimes(builds)),
    ...measureNames.flatMap(([name, measure]) => {
      const value = measured.get(measure);
      return value === undefined ? [] : [gauge(name, [{ value }])];
    }),
  ];
}

const measureNames: readonly (readonly [MetricName, MeasureName])[] = [
  ['kubeloom_lease_overdue_seconds', 'leaseOverdueSeconds'],
  ['kubeloom_longest_run_seconds', 'longestRunSeconds'],
  ['kubeloom_checks_overdue_seconds', 'checksOverdueSeconds'],
  ['kubeloom_drift_left', 'driftLeft'],
  ['kubeloom_incomplete_checks', 'incompleteChecks'],
];

function failureOf({ status, failure }: ClusterRecord): readonly Readonly<Record<string, string>>[] {
  if (failure === null || status === 'Converged') return [];
  return [{ class: failure.class, code: failure.code }];
}

/** No sample until the first look, and no time where nothing waits. */
function waitingFamilies(reminders: Reminders | undefined): readonly MetricFamily[] {
  const waiting = [...(reminders === undefined ? [] : waitingNow(reminders))];
  return [
    gauge(
      'kubeloom_waiting',
      waiting.map(([kind, { number }]) => ({ labels: { kind }, value: number })),
    ),
    gauge(
      'kubeloom_waiting_since_seconds',
      waiting.flatMap(([kind, { since }]) =>
        since === undefined ? [] : [{ labels: { kind }, value: Date.parse(since) / 1000 }],
      ),
    ),
  ];
}

/** No sample where no end is known. */
function certificatesEnd(clusters: readonly ClusterRecord[]): readonly Sample[] {
  const all = clusters.flatMap(knownExpiries).filter((expiry) => renewalOf(expiry) === 'renewed');
  const first = firstToEnd(all);
  return first === undefined ? [] : [{ value: Date.parse(first.until) / 1000 }];
}

const isQueued = ({ startedAt, endedAt }: Build): boolean => startedAt === null && endedAt === null;

/** The stage, `drift`, or `question`. */
function stageOf({ environment }: Build): string {
  const job = jobOf(environment);
  return job.kind === 'stage' ? job.stage : job.kind;
}

function stageTimes(builds: readonly Build[]): readonly Timed[] {
  const times = new Map<string, number[]>();
  for (const build of builds) {
    if (build.startedAt === null || build.endedAt === null) continue;
    const stage = stageOf(build);
    times.set(stage, [...(times.get(stage) ?? []), (build.endedAt - build.startedAt) / 1000]);
  }
  return [...times].map(([stage, seconds]) => ({ labels: { stage }, number: seconds.length, seconds: sum(seconds) }));
}

interface Timed {
  readonly labels: Readonly<Record<string, string>>;
  readonly number: number;
  readonly seconds: number;
}

function summary(name: MetricName, times: readonly Timed[]): MetricFamily {
  const samples = times.flatMap(({ labels, number, seconds }): Sample[] => [
    { suffix: '_sum', labels, value: seconds },
    { suffix: '_count', labels, value: number },
  ]);
  return { name, help: metricHelp[name], type: 'summary', samples };
}

function gauge(name: MetricName, samples: readonly Sample[]): MetricFamily {
  return { name, help: metricHelp[name], type: 'gauge', samples };
}

/** How many there are with each set of labels. */
function counted<Item>(
  items: readonly Item[],
  labelsOf: (item: Item) => Readonly<Record<string, string>>,
): readonly Sample[] {
  const numbers = new Map<string, Sample>();
  for (const item of items) {
    const labels = labelsOf(item);
    const key = JSON.stringify(labels);
    numbers.set(key, { labels, value: (numbers.get(key)?.value ?? 0) + 1 });
  }
  return [...numbers.values()];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
