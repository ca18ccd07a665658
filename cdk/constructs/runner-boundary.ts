/** The most that a runner may do, whatever its own policies say one day: it runs modules and templates of users. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { prefixesOf, runnerActions, runnerBounds, runnerTools } from '#functions/rights/runner-rights.ts';
import { acceptFindings } from '../checks.ts';
import type { DataStores } from '../rights/grant-uses.ts';
import { secretPrefix } from '../settings.ts';

export interface RunnerBoundaryProps extends DataStores {
  readonly installation: string;
}

/** What the runners reach of the stored things of this installation, all of them together; its images and logs, and logins elsewhere. */
export function runnerBoundary(scope: Construct, id: string, props: RunnerBoundaryProps): ManagedPolicy {
  const { table, bucket, key, installation } = props;
  const stack = Stack.of(scope);
  const allow = (actions: string[], resources: string[]): PolicyStatement =>
    new PolicyStatement({ actions, resources });
  const below = (action: string): string[] => {
    const tools = runnerTools.filter((tool) => runnerActions(tool).includes(action));
    return [...new Set(tools.flatMap((tool) => prefixesOf(action, runnerBounds[tool])))].map((prefix) => `${prefix}*`);
  };
  const secret = (path: string): string =>
    stack.formatArn({
      ...{ service: 'ssm', resource: 'parameter', resourceName: `${secretPrefix(installation).slice(1)}/${path}` },
    });
  const logGroups = stack.formatArn({
    ...{ service: 'logs', resource: 'log-group', resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME },
  });
  const otherRoles = stack.formatArn({
    ...{ service: 'iam', region: '', account: '*', resource: 'role', resourceName: '*' },
  });
  const boundary = new ManagedPolicy(scope, id, {
    description: `Kubeloom ${installation}: the most that a runner may do`,
    statements: [
      new PolicyStatement({
        ...{ actions: ['dynamodb:BatchWriteItem'], resources: [table.tableArn] },
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': below('dynamodb:BatchWriteItem') } },
      }),
      allow(['s3:ListBucket'], [bucket.bucketArn]),
      ...['s3:DeleteObject', 's3:GetObject', 's3:PutObject'].map((action) =>
        allow(
          [action],
          below(action).map((prefix) => bucket.arnForObjects(prefix)),
        ),
      ),
      ...['ssm:GetParameter', 'ssm:PutParameter'].map((action) => allow([action], below(action).map(secret))),
      allow(['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'], [key.keyArn]),
      allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], [logGroups]),
      allow(['sts:AssumeRole'], [otherRoles]),
      allow(
        [
          'codebuild:BatchGetBuilds',
          'ecr:BatchCheckLayerAvailability',
          'ecr:BatchGetImage',
          'ecr:GetAuthorizationToken',
          'ecr:GetDownloadUrlForLayer',
          'sts:GetWebIdentityToken',
        ],
        ['*'],
      ),
    ],
  });
  acceptFindings(boundary, 'IAM5', /./, 'a boundary gives nothing: it bounds what the policies of runners give');
  return boundary;
}
