/** Every alarm has a page, every page an alarm, and all notify the same topic. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { CollectResultOutput } from '#contracts/state-inputs.ts';
import { measureDrift } from '#domain/assess-drift.ts';
import { measureTick } from '#functions/pipeline/schedule/tick-measures.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { installation, resourcesOf } from './synthesised.ts';

const alarms = resourcesOf(installation.observability, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
const pages = new URL('../../docs/aws/runbooks/', import.meta.url);

it('each alarm names its page in docs/aws/runbooks, and each page has an alarm', () => {
  const named = alarms.map(
    ({ AlarmDescription }) => /docs\/aws\/runbooks\/([\w-]+)\.md$/.exec(String(AlarmDescription))?.[1],
  );
  expect(named.map((name) => `kubeloom-${name}`)).toEqual(alarms.map(({ AlarmName }) => AlarmName));
  expect(named.map((name) => `${name}.md`).sort()).toEqual(readdirSync(pages).sort());
  for (const name of named)
    expect(readFileSync(new URL(`${name}.md`, pages), 'utf8')).toMatch(new RegExp(`^# ${name}\n`));
});

it('all alarms notify one topic when they start and when they end', () => {
  const topics = alarms.flatMap(({ AlarmActions, OKActions }) => [AlarmActions, OKActions].flat());
  expect(topics).toHaveLength(alarms.length * 2);
  expect(new Set(topics.map((topic) => JSON.stringify(topic))).size).toBe(1);
});

it('alarms of this account can publish to the topic, although it has a policy of its own', () => {
  const [policy] = resourcesOf(installation.observability, 'AWS::SNS::TopicPolicy');
  const { Statement } = (policy?.Properties.PolicyDocument ?? { Statement: [] }) as {
    Statement: Record<string, unknown>[];
  };
  const allowed = Statement.filter(({ Effect }) => Effect === 'Allow');
  expect(allowed).toHaveLength(1);
  expect(allowed[0]).toMatchObject({
    Action: 'sns:Publish',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
  });
  const { Condition } = allowed[0] as { Condition: { ArnLike: Record<string, unknown> } };
  expect(JSON.stringify(Condition.ArnLike['aws:SourceArn'])).toContain(':alarm:kubeloom-*');
});

it('missing data is a fault for the alarm of the tick only', () => {
  const breaching = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
  expect(breaching).toEqual([
    expect.objectContaining({
      AlarmName: 'kubeloom-tick-silent',
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
    }),
  ]);
});

it('a stage that waits for a build raises the alarm of waiting builds, whether CodeBuild queues its build or refuses it', () => {
  const waiting = alarms.find(({ AlarmName }) => AlarmName === 'kubeloom-builds-waiting');
  const metrics = (waiting?.Metrics ?? []) as {
    Expression?: string;
    MetricStat?: { Metric: { MetricName: string } };
  }[];
  const names = metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric.MetricName] : []));
  expect(names.sort()).toEqual(['QueuedDuration', 'waitsForCapacitySeconds']);
  expect(waiting).toMatchObject({ Threshold: 900, ComparisonOperator: 'GreaterThanThreshold' });
});

it('a call of any function that takes more than 80 percent of its time is counted, and raises one alarm', () => {
  const { pipeline, api } = installation;
  for (const stack of [pipeline, api]) {
    const logs = resourcesOf(stack, 'AWS::Lambda::Function').map(({ Properties }) => ({
      log: Object(Properties.LoggingConfig).LogGroup,
      timeout: Number(Properties.Timeout),
    }));
    const counted = resourcesOf(stack, 'AWS::Logs::MetricFilter').map(({ Properties }) => Properties);
    expect(logs.length).toBeGreaterThan(0);
    for (const { log, timeout } of logs) {
      const [filter, ...others] = counted.filter(({ LogGroupName }) => isSame(LogGroupName, log));
      expect(others).toEqual([]);
      // As Lambda reports each call, also one that it interrupted.
      expect(filter?.FilterPattern).toBe(`{ $.record.metrics.durationMs > ${timeout * 800} }`);
      expect(filter?.MetricTransformations).toEqual([
        { MetricName: 'slowCalls', MetricNamespace: 'Kubeloom/kubeloom', MetricValue: '1' },
      ]);
    }
  }
  const slow = alarms.find(({ AlarmName }) => AlarmName === 'kubeloom-functions-slow');
  expect(slow).toMatchObject({
    MetricName: 'slowCalls',
    Namespace: 'Kubeloom/kubeloom',
    Statistic: 'Sum',
    Threshold: 0,
  });
});

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

it('the metrics are those that the tick, the records of checks and the collected results log', async () => {
  const filters = resourcesOf(installation.observability, 'AWS::Logs::MetricFilter').map(
    ({ Properties }) => Properties,
  );
  const names = filters.map(
    ({ MetricTransformations }) => (MetricTransformations as { MetricName: string }[])[0]?.MetricName,
  );
  const none = { checkedAt: '', runId: '', items: [], unchecked: [], outcome: '' };
  const tick = await measureTick([], fakeDeps());
  const collected = 'waitsForCapacitySeconds' satisfies keyof NonNullable<CollectResultOutput['measures']>;
  expect(names.sort()).toEqual([...Object.keys(tick), ...Object.keys(measureDrift(none)), collected].sort());
  // A comparison with text is not documented to find numbers.
  for (const { FilterPattern, MetricTransformations } of filters) {
    const [{ MetricValue } = { MetricValue: '' }] = MetricTransformations as { MetricValue: string }[];
    expect(FilterPattern).toBe(`{ ${MetricValue} > 0 }`);
  }
});
