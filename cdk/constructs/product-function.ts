/** A Lambda function of ours, with a role and a log of its own and the defaults that all share. */
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { FilterPattern, LogGroup, MetricFilter, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { functionBounds } from '#functions/rights/function-rights.ts';
import { functionUses } from '#functions/rights/uses.ts';
import { acceptFindings } from '../checks.ts';
import { grantUses, type UsedResources } from '../rights/grant-uses.ts';

/** Bundle of a function by its name: `plan-cluster`. */
export type FunctionCode = (name: string) => Code;

/** How long a function may work: as long as its state waits, and the API, whose gateway waits 30 seconds at most. */
const functionSeconds = 60;
export const apiSeconds = 29;

/** Counted over all functions: calls that took more than 80 percent of the time that their function has. */
export const slowCalls = (installation: string): { readonly metricNamespace: string; readonly metricName: string } => ({
  metricNamespace: metricNamespace(installation),
  metricName: 'slowCalls',
});

/** Namespace of the metrics that are derived from logs. */
export const metricNamespace = (installation: string): string => `Kubeloom/${installation}`;

export interface ProductFunctionProps {
  readonly code: Code;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
  /** As the table of its rights has it: `plan-cluster`. */
  readonly name: string;
  /** A role that others know before the function is made. @default one of its own */
  readonly role?: Role;
  readonly on: UsedResources;
  /** Its calls are traced. @default true */
  readonly traced?: boolean;
  /** @default 60 seconds */
  readonly timeout?: Duration;
  /** Calls at once, set apart from those of the account. @default it shares those of the account */
  readonly concurrency?: number | undefined;
  /** Asynchronous calls: where failed ones go, and how long one may wait. @default none: callers wait for the answer */
  readonly asynchronous?: { readonly failures: IQueue; readonly longestWait: Duration };
}

export class ProductFunction extends Construct {
  readonly fn: LambdaFunction;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: ProductFunctionProps) {
    super(scope, id);
    const { logRetention: retention, asynchronous } = props;
    this.log = new LogGroup(this, 'Log', { retention, removalPolicy: RemovalPolicy.DESTROY });
    const timeout = props.timeout ?? Duration.seconds(functionSeconds);
    // As Lambda's documentation has it (platform.report), each call is reported, an interrupted one, too. A metric is billed in hours in which it has values only.
    new MetricFilter(this, 'SlowCalls', {
      logGroup: this.log,
      filterPattern: FilterPattern.numberValue('$.record.metrics.durationMs', '>', timeout.toMilliseconds() * 0.8),
      ...slowCalls(props.on.installation),
      metricValue: '1',
    });
    const role = props.role ?? roleOfFunction(this, 'Role', props.description);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.log.logGroupArn],
      }),
    );
    grantUses(
      role,
      { uses: functionUses(props.name), bounds: functionBounds(props.name), holder: 'function' },
      props.on,
    );
    acceptFindings(role, 'IAM5', /^Resource::\*$/, 'tracing knows no resources');
    this.fn = new LambdaFunction(this, 'Function', {
      code: props.code,
      role,
      handler: 'index.handler',
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // A share of a processor comes with the memory; below this, starting takes longer than working.
      memorySize: 1024,
      timeout,
      environment: props.environment,
      loggingFormat: LoggingFormat.JSON,
      logGroup: this.log,
      tracing: (props.traced ?? true) ? Tracing.ACTIVE : Tracing.DISABLED,
      retryAttempts: 0,
      ...(props.concurrency !== undefined && { reservedConcurrentExecutions: props.concurrency }),
      ...(asynchronous && {
        onFailure: new SqsDestination(asynchronous.failures),
        maxEventAge: asynchronous.longestWait,
      }),
    });
    if (props.traced === false)
      Validations.of(this.fn).acknowledge({
        id: 'Serverless-LambdaTracing',
        reason: 'its callers ask for ever: traces of them would cost more than the calls',
      });
    const called = 'its callers wait for the answer and see every failure; nothing calls it asynchronously';
    const reason = asynchronous ? 'it has a failure destination, which says more than a dead-letter queue' : called;
    Validations.of(this.fn).acknowledge({ id: 'Serverless-LambdaDLQ', reason });
    if (!asynchronous) Validations.of(this.fn).acknowledge({ id: 'Serverless-LambdaAsyncFailureDestination', reason });
  }
}

export function roleOfFunction(scope: Construct, id: string, description: string): Role {
  return new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com'), description });
}
