/** An alarm whose text names the page that says what to do. */
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface WatchedAlarmProps {
  readonly installation: string;
  /** What happened, as a sentence. */
  readonly description: string;
  readonly metric: IMetric;
  /**
   * The alarm is raised beyond this limit. AWS sends no data when nothing happened: fine for a number of failures (`above`), while
   * for a function that must be called (`below`) it is the fault. @default above 0
   */
  readonly limit?: { readonly above: number } | { readonly below: number };
  readonly topic: ITopic;
}

export class WatchedAlarm extends Alarm {
  /** `id` is the name of the alarm and of its page in docs/aws/runbooks/. */
  constructor(scope: Construct, id: string, props: WatchedAlarmProps) {
    const { limit = { above: 0 } } = props;
    super(scope, id, {
      alarmName: `${props.installation}-${id}`,
      alarmDescription: `${props.description} What to do: docs/aws/runbooks/${id}.md`,
      metric: props.metric,
      evaluationPeriods: 1,
      ...('above' in limit
        ? {
            threshold: limit.above,
            comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }
        : {
            threshold: limit.below,
            comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
            treatMissingData: TreatMissingData.BREACHING,
          }),
    });
    this.addAlarmAction(new SnsAction(props.topic));
    this.addOkAction(new SnsAction(props.topic));
  }
}
