/** A queue for what could not be delivered or done: encrypted, kept for as long as SQS can, watched by an alarm. */
import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) });
    const reason = 'it is itself the dead-letter queue; an alarm reports the first message';
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SQS3', reason });
    Validations.of(this).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason });
  }
}
