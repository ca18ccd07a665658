/** What has notifications sent: the rule on the bus. */
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { notifiedKinds } from '#domain/notifications/notification-events.ts';

export function eventsToSend(
  scope: Construct,
  { bus, sender, lost }: { readonly bus: IEventBus; readonly sender: IFunction; readonly lost: IQueue },
): void {
  new Rule(scope, 'EventToSend', {
    description: 'an event of a kind that Notifications may name: send it to those that do',
    eventBus: bus,
    eventPattern: { source: ['kubeloom'], detailType: [...notifiedKinds] },
    targets: [new LambdaTarget(sender, { retryAttempts: 2, deadLetterQueue: lost })],
  });
}
