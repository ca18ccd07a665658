/** Alarms for people, each with a page, one topic, and an optional dashboard. */
import { ArnFormat, CfnOutput, Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { tooManyIncomplete } from '#domain/assess-drift.ts';
import type { MeasureName } from '#domain/measures.ts';
import { metricNamespace, slowCalls } from '../constructs/product-function.ts';
import { WatchedAlarm, type WatchedAlarmProps } from '../constructs/watched-alarm.ts';
import type { Options } from '../options.ts';
import type { PipelineStack } from './pipeline-stack.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly options: Options;
  readonly pipeline: PipelineStack;
  readonly api: HttpApi;
  readonly table: ITableV2;
}

const fiveMinutes = { period: Duration.minutes(5) };

export class ObservabilityStack extends Stack {
  readonly alarms: WatchedAlarm[] = [];
  readonly #props: ObservabilityStackProps;
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, props: ObservabilityStackProps) {
    super(scope, id, props);
    this.#props = props;
    const { options } = props;
    this.#topic = new Topic(this, 'Alarms', {
      displayName: `Kubeloom alarms of ${options.installation}`,
      enforceSSL: true,
    });
    this.#allowAlarmsToPublish();
    if (options.alarmEmail !== undefined) {
      const subscription = this.#topic.addSubscription(new EmailSubscription(options.alarmEmail));
      const reason = 'an alarm that is not mailed is still shown in CloudWatch';
      Validations.of(subscription).acknowledge({ id: 'Serverless-SNSRedrivePolicy', reason });
    }
    this.#watchRuns();
    this.#watchDrift();
    this.#watchTheScheduler();
    this.#watchDeadLetters();
    this.#watchCapacity();
    this.#alarm('api-server-errors', {
      description: 'The API answered with 5xx.',
      metric: props.api.metricServerError({ ...fiveMinutes, statistic: Stats.SUM }),
    });
    if (options.dashboard) this.#dashboard();
    new CfnOutput(this, 'AlarmTopic', {
      value: this.#topic.topicArn,
      description: 'Subscribe to it to get alarms',
    });
  }

  /** The policy of the topic, which requires TLS, replaces the default policy that allows alarms of the account to publish. */
  #allowAlarmsToPublish(): void {
    const alarms = this.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `${this.#props.options.installation}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisInstallation',
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account }, ArnLike: { 'aws:SourceArn': alarms } },
      }),
    );
  }

  #watchRuns(): void {
    const { reconcileManifest, finishRun, tick } = this.#props.pipeline;
    this.#alarm('executions-failed', {
      description: 'A run ended FAILED: at least one cluster is not in the desired state.',
      metric: reconcileManifest.metricFailed(fiveMinutes),
    });
    this.#alarm('executions-timed-out', {
      description: 'A run reached the limit of a week.',
      metric: reconcileManifest.metricTimedOut(fiveMinutes),
    });
    this.#alarm('finish-run-failed', {
      description: 'An interrupted run could not be cleaned up.',
      metric: finishRun.metricFailed(fiveMinutes),
    });
    this.#alarm('leases-overdue', {
      description: 'A lease expired half an hour ago and was not released: its manifest waits.',
      metric: this.#measure(tick.log, 'leaseOverdueSeconds', fiveMinutes.period),
      limit: { above: 1800 },
    });
    const { longRunHours } = this.#props.options;
    this.#alarm('runs-stuck', {
      description: `A run has been at work for more than ${longRunHours} hours.`,
      metric: this.#measure(tick.log, 'longestRunSeconds', Duration.hours(1)),
      limit: { above: longRunHours * 3600 },
    });
  }

  /** Over a day: by default a check runs every six hours. */
  #watchDrift(): void {
    const { log } = this.#props.pipeline.recordDrift;
    const day = Duration.days(1);
    this.#alarm('drift-left', {
      description: 'A cluster has drift that is not repaired.',
      metric: this.#measure(log, 'driftLeft', day),
    });
    this.#alarm('checks-late', {
      description: 'A check has been due for more than an hour: more is due than is started.',
      metric: this.#measure(this.#props.pipeline.tick.log, 'checksOverdueSeconds', Duration.hours(1)),
      limit: { above: 3600 },
    });
    this.#alarm('drift-unchecked', {
      description: `Checks for drift of a cluster were incomplete ${tooManyIncomplete} times in a row.`,
      metric: this.#measure(log, 'incompleteChecks', day),
      limit: { above: tooManyIncomplete - 1 },
    });
  }

  #watchTheScheduler(): void {
    const { fn } = this.#props.pipeline.tick;
    const window = { period: Duration.minutes(Math.max(15, 3 * this.#props.options.tickMinutes)) };
    this.#alarm('tick-failed', {
      description: 'The tick of the scheduler failed: due work is not started.',
      metric: fn.metricErrors(window),
    });
    this.#alarm('tick-silent', {
      description: 'The tick of the scheduler was not called for three intervals.',
      metric: fn.metricInvocations(window),
      limit: { below: 1 },
    });
  }

  /** Limits of the whole account: what others use is missing here as well. */
  #watchCapacity(): void {
    const { metricNamespace: namespace, metricName } = slowCalls(this.#props.options.installation);
    const slow = { namespace, metricName };
    this.#alarm('throttled', {
      description: 'AWS refused calls of functions, or reads and writes of the table: there were too many at once.',
      metric: new MathExpression({
        expression: 'FILL(calls, 0) + FILL(reads, 0) + FILL(writes, 0)',
        usingMetrics: {
          calls: LambdaFunction.metricAllThrottles(fiveMinutes),
          reads: this.#ofTable('ReadThrottleEvents'),
          writes: this.#ofTable('WriteThrottleEvents'),
        },
        ...fiveMinutes,
        label: 'refused',
      }),
    });
    this.#alarm('functions-slow', {
      description: 'A function took more than 80 percent of the time that it has, or was interrupted.',
      metric: new Metric({ ...slow, statistic: Stats.SUM, ...fiveMinutes }),
    });
    const hour = Duration.hours(1);
    this.#alarm('builds-waiting', {
      description: 'A stage waited for more than 15 minutes until the account could run its build.',
      metric: new MathExpression({
        // CodeBuild queues builds up to a limit. Beyond it, and on Lambda compute, it refuses them, and the stage waits.
        expression: 'MAX([FILL(queued, 0), FILL(refused, 0)])',
        usingMetrics: {
          queued: new Metric({
            namespace: 'AWS/CodeBuild',
            metricName: 'QueuedDuration',
            statistic: Stats.MAXIMUM,
            period: hour,
          }),
          refused: this.#measure(this.#props.pipeline.collectResult.log, 'waitsForCapacitySeconds', hour),
        },
        period: hour,
        label: 'seconds',
      }),
      limit: { above: 900 },
    });
  }

  #watchDeadLetters(): void {
    const { lostEnds, lostEvents, lostTicks } = this.#props.pipeline;
    const depth = (queue: typeof lostEnds): IMetric =>
      queue.metricApproximateNumberOfMessagesVisible({ ...fiveMinutes, statistic: Stats.MAXIMUM });
    this.#alarm('lost-ends', {
      description: 'finish-run could not be notified of an interrupted run.',
      metric: depth(lostEnds),
    });
    this.#alarm('lost-events', {
      description: 'Events were not published for a day: they are missing among those of all manifests.',
      metric: depth(lostEvents),
    });
    this.#alarm('lost-ticks', {
      description: 'Ticks failed or could not be called.',
      metric: depth(lostTicks),
    });
  }

  #ofTable(metricName: string): Metric {
    const dimensionsMap = { TableName: this.#props.table.tableName };
    return new Metric({ ...fiveMinutes, namespace: 'AWS/DynamoDB', metricName, statistic: Stats.SUM, dimensionsMap });
  }

  #alarm(id: string, props: Omit<WatchedAlarmProps, 'installation' | 'topic'>): void {
    const { installation } = this.#props.options;
    this.alarms.push(new WatchedAlarm(this, id, { ...props, installation, topic: this.#topic }));
  }

  /** A number that a function writes into its log. Zeros are left out, because a metric is only billed in hours in which it has values. */
  #measure(logGroup: PipelineStack['tick']['log'], name: MeasureName, period: Duration): Metric {
    const filter = new MetricFilter(this, `Measure-${name}`, {
      logGroup,
      filterPattern: FilterPattern.numberValue(`$.measures.${name}`, '>', 0),
      metricNamespace: metricNamespace(this.#props.options.installation),
      metricName: name,
      metricValue: `$.measures.${name}`,
    });
    return filter.metric({ period, statistic: Stats.MAXIMUM });
  }

  #dashboard(): void {
    const { pipeline, api, options } = this.#props;
    const { reconcileManifest: runs } = pipeline;
    const graph = (title: string, ...left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 6 });
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: options.installation });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: this.alarms, width: 24, height: 3 }));
    dashboard.addWidgets(
      graph('Runs', runs.metricStarted(fiveMinutes), runs.metricSucceeded(fiveMinutes), runs.metricFailed(fiveMinutes)),
      graph(
        'How long runs take',
        runs.metricTime({ ...fiveMinutes, statistic: Stats.p(50) }),
        runs.metricTime({ ...fiveMinutes, statistic: Stats.p(99) }),
      ),
    );
    dashboard.addWidgets(
      graph(
        'Calls of the API',
        api.metricCount(fiveMinutes),
        api.metricClientError(fiveMinutes),
        api.metricServerError(fiveMinutes),
      ),
      graph(
        'Latency of the API',
        api.metricLatency({ ...fiveMinutes, statistic: Stats.p(50) }),
        api.metricLatency({ ...fiveMinutes, statistic: Stats.p(99) }),
      ),
    );
  }
}
