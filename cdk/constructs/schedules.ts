/** The schedules of functions: EventBridge Scheduler calls each at its rate. */
import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acceptFindings } from '../checks.ts';

/** Ids by the function that they call. */
export const schedules = {
  tick: 'Tick',
  'sync-sources': 'SyncSources',
  'send-notifications': 'SendNotifications',
} as const;

export interface ScheduleProps {
  readonly name: keyof typeof schedules;
  readonly called: IFunction;
  /** Where calls go that could not be made. */
  readonly lost: IQueue;
  readonly every: Duration;
  /** What it does, for people. */
  readonly what: string;
}

/** A call that fails is not repeated: the next one does its work. */
export function scheduleOf(scope: Construct, { name, called, lost, every, what }: ScheduleProps): void {
  new Schedule(scope, schedules[name], {
    schedule: ScheduleExpression.rate(every),
    target: new LambdaInvoke(called, { retryAttempts: 0, deadLetterQueue: lost }),
    description: `Kubeloom: ${what}`,
  });
  const id = name.replaceAll('-', '');
  acceptFindings(
    scope,
    'IAM5',
    new RegExp(`^Resource::<Function${id}.*:\\*$`),
    'the schedule may call versions of it, too',
  );
}
