/** The most that a runner may do, whatever its own policies say one day: it runs modules and templates of users. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { prefixesOf, runnerActions, runnerBounds, runnerTools } from '#functions/rights/runner-rights.ts';
import { acceptFindings } from '../checks.ts';
import type { Options } from '../options.ts';
import { type DataStores, listsBelow } from '../rights/grant-uses.ts';
import { secretPrefix } from '../settings.ts';
import { denyOwnRoles, loginsOf } from './runner-logins.ts';

export interface RunnerBoundaryProps extends DataStores {
  readonly options: Options;
  /** ARN of the route where builds ask for their credentials. */
  readonly credentialsRoute: string;
}

/** What the runners reach of the stored things of this installation, all of them together; its images and logs, and logins elsewhere. */
export function runnerBoundary(scope: Construct, id: string, props: RunnerBoundaryProps): ManagedPolicy {
  const { table, bucket, key, options, credentialsRoute } = props;
  const { installation } = options;
  const stack = Stack.of(scope);
  const allow = (actions: string[], resources: string[]): PolicyStatement =>
    new PolicyStatement({ actions, resources });
  const prefixes = (action: string): string[] => {
    const tools = runnerTools.filter((tool) => runnerActions(tool).includes(action));
    return [...new Set(tools.flatMap((tool) => prefixesOf(action, runnerBounds[tool])))];
  };
  const below = (action: string): string[] => prefixes(action).map((prefix) => `${prefix}*`);
  const secret = (path: string): string =>
    stack.formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: `${secretPrefix(installation).slice(1)}/${path}`,
    });
  const logGroups = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const boundary = new ManagedPolicy(scope, id, {
    description: `Kubeloom ${installation}: the most that a runner may do`,
    statements: [
      new PolicyStatement({
        actions: ['dynamodb:BatchWriteItem'],
        resources: [table.tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': below('dynamodb:BatchWriteItem') } },
      }),
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [bucket.bucketArn],
        conditions: listsBelow(below('s3:ListBucket')),
      }),
      ...['s3:DeleteObject', 's3:GetObject', 's3:PutObject'].map((action) =>
        allow(
          [action],
          below(action).map((prefix) => bucket.arnForObjects(prefix)),
        ),
      ),
      ...['ssm:GetParameter', 'ssm:PutParameter'].map((action) => allow([action], below(action).map(secret))),
      allow(['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'], [key.keyArn]),
      allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], [logGroups]),
      allow(['execute-api:Invoke'], [credentialsRoute]),
      ...loginsOf(runnerTools, options, stack),
      denyOwnRoles(stack),
      allow(
        [
          'codebuild:BatchGetBuilds',
          'ecr:BatchCheckLayerAvailability',
          'ecr:BatchGetImage',
          'ecr:GetAuthorizationToken',
          'ecr:GetDownloadUrlForLayer',
        ],
        ['*'],
      ),
    ],
  });
  acceptFindings(boundary, 'IAM5', /./, 'a boundary gives nothing: it bounds what the policies of runners give');
  return boundary;
}
