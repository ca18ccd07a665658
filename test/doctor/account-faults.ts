/** One thing at a time that is wrong with an AWS account, and what `kubeloom doctor --aws` says of it. */
import { BatchGetProjectsCommand, ListProjectsCommand } from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand } from '@aws-sdk/client-ecr';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { GetAccountSettingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListServiceQuotasCommand } from '@aws-sdk/client-service-quotas';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, GetWebIdentityTokenCommand } from '@aws-sdk/client-sts';
import type { AwsCheck } from '#cli/doctor/aws-check.ts';
import {
  type Account,
  awsError,
  buildsAtOnce,
  caller,
  concurrency,
  type FakeApi,
  outputsOf,
  projectOf,
  stackIs,
  tools,
} from './aws-account.ts';

export interface AccountFault {
  readonly what: string;
  readonly breakIt: (account: Account, api: FakeApi) => unknown;
  readonly check: string;
  readonly state: AwsCheck['state'];
  readonly found: RegExp;
  readonly fix: RegExp;
}

const increase =
  /request-service-quota-increase --service-code codebuild --quota-code L-5ED1D25B .*--region eu-central-1/;
export const accountFaults: readonly AccountFault[] = [
  {
    what: 'every caller is an admin',
    breakIt: ({ cloudFormation }, { url }) =>
      stackIs(cloudFormation, 'api', 'UPDATE_COMPLETE', outputsOf(url, { admins: '*' }).api),
    check: 'admins',
    state: 'warning',
    found: /^\*: every caller/,
    fix: /cdk deploy --all .* -c admins=iam:/,
  },
  {
    what: 'SSH is open to every network',
    breakIt: ({ cloudFormation }, { url }) =>
      stackIs(cloudFormation, 'pipeline', 'UPDATE_COMPLETE', outputsOf(url, { networks: '0.0.0.0/0' }).pipeline),
    check: 'SSH to machines',
    state: 'warning',
    found: /0\.0\.0\.0\/0/,
    fix: / -c runnerCidrs=/,
  },
  {
    what: 'the root of the account asks',
    breakIt: (account) =>
      account.sts
        .on(GetCallerIdentityCommand)
        .resolves({ Account: '123456789012', Arn: 'arn:aws:iam::123456789012:root' }),
    check: 'identity',
    state: 'warning',
    found: /:root$/,
    fix: /use a role/,
  },
  {
    what: 'Step Functions may not be asked',
    breakIt: (account) => account.stepFunctions.on(ListStateMachinesCommand).rejects(awsError('AccessDeniedException')),
    check: 'Step Functions',
    state: 'wrong',
    found: /access denied: states:ListStateMachines/,
    fix: /let this principal/,
  },
  {
    what: 'CodeBuild does not answer',
    breakIt: (account) =>
      account.codeBuild.on(ListProjectsCommand).rejects(Object.assign(new Error('no host'), { code: 'ENOTFOUND' })),
    check: 'CodeBuild',
    state: 'wrong',
    found: /no answer \(ENOTFOUND\)/,
    fix: /region exists/,
  },
  {
    what: 'Lambda has a bad day',
    breakIt: (account) => account.lambda.on(ListFunctionsCommand).rejects(awsError('ServiceException', 'sorry')),
    check: 'Lambda',
    state: 'wrong',
    found: /ServiceException: sorry/,
    fix: /retry/,
  },
  {
    what: 'Lambda has the ten calls of a new account',
    breakIt: (account) => account.lambda.on(GetAccountSettingsCommand).resolves(concurrency(10)),
    check: 'concurrency of Lambda',
    state: 'warning',
    found: /^10 calls at once/,
    fix: /L-B99A9384/,
  },
  {
    what: 'other functions have reserved all of Lambda',
    breakIt: (account) =>
      account.lambda.on(GetAccountSettingsCommand).resolves({
        AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 0 },
      }),
    check: 'concurrency of Lambda',
    state: 'wrong',
    found: /^0 calls at once, 1000 more are reserved/,
    fix: /lambda/,
  },
  {
    what: 'outbound federation is off',
    breakIt: (account) =>
      account.sts.on(GetWebIdentityTokenCommand).rejects(awsError('OutboundWebIdentityFederationDisabledException')),
    check: 'tokens for other clouds',
    state: 'warning',
    found: /is off/,
    fix: /^aws iam enable-outbound-web-identity-federation/,
  },
  {
    what: 'the region was never bootstrapped',
    breakIt: (account) => account.ssm.on(GetParameterCommand).rejects(awsError('ParameterNotFound')),
    check: 'CDK bootstrap',
    state: 'wrong',
    found: /never bootstrapped/,
    fix: /^npx cdk bootstrap aws:\/\/123456789012\/eu-central-1$/,
  },
  {
    what: 'the bootstrap is too old',
    breakIt: (account) => account.ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '5' } }),
    check: 'CDK bootstrap',
    state: 'wrong',
    found: /^version 5, and 6 is needed/,
    fix: /npx cdk bootstrap/,
  },
  {
    what: 'no build may run',
    breakIt: (account) => account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 0 })),
    check: 'builds at once (ARM/Small)',
    state: 'wrong',
    found: /^0: no stage can run/,
    fix: increase,
  },
  {
    what: 'one build may run at once',
    breakIt: (account) => account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 1 })),
    check: 'builds at once (ARM/Small)',
    state: 'warning',
    found: /^1: stages wait/,
    fix: increase,
  },
  {
    what: 'quotas may not be read',
    breakIt: (account) => account.quotas.on(ListServiceQuotasCommand).rejects(awsError('AccessDeniedException')),
    check: 'builds at once',
    state: 'wrong',
    found: /access denied: servicequotas:ListServiceQuotas/,
    fix: /let this/,
  },
  {
    what: 'a deployment failed half-way',
    breakIt: (account) => stackIs(account.cloudFormation, 'observability', 'ROLLBACK_FAILED'),
    check: 'stack kubeloom-observability',
    state: 'wrong',
    found: /^ROLLBACK_FAILED$/,
    fix: /describe-stack-events --stack-name kubeloom-observability/,
  },
  {
    what: 'the last deployment was rolled back',
    breakIt: (account) => stackIs(account.cloudFormation, 'observability', 'UPDATE_ROLLBACK_COMPLETE'),
    check: 'stack kubeloom-observability',
    state: 'warning',
    found: /the one before it runs/,
    fix: /^npx cdk deploy --all/,
  },
  {
    what: 'a deployment is in progress',
    breakIt: (account) => stackIs(account.cloudFormation, 'observability', 'UPDATE_IN_PROGRESS'),
    check: 'stack kubeloom-observability',
    state: 'warning',
    found: /IN_PROGRESS/,
    fix: /^wait for it/,
  },
  {
    what: 'the first deployment is in progress',
    breakIt: (account) => stackIs(account.cloudFormation, 'observability', 'CREATE_IN_PROGRESS'),
    check: 'stack kubeloom-observability',
    state: 'warning',
    found: /IN_PROGRESS/,
    fix: /wait stack-create-complete --stack-name kubeloom-observability --region eu-central-1$/,
  },
  {
    what: 'the first deployment of what is protected failed',
    breakIt: (account) => stackIs(account.cloudFormation, 'storage', 'ROLLBACK_COMPLETE', [], true),
    check: 'stack kubeloom-storage',
    state: 'wrong',
    found: /^ROLLBACK_COMPLETE$/,
    fix: /--no-enable-termination-protection --stack-name kubeloom-storage --region eu-central-1 && npx cdk deploy/,
  },
  {
    what: 'going back to the release before failed',
    breakIt: (account) => stackIs(account.cloudFormation, 'observability', 'UPDATE_ROLLBACK_FAILED'),
    check: 'stack kubeloom-observability',
    state: 'wrong',
    found: /^UPDATE_ROLLBACK_FAILED$/,
    fix: /continue-update-rollback --stack-name/,
  },
  {
    what: 'an image was removed from the registry',
    breakIt: (account) =>
      account.ecr
        .on(DescribeImagesCommand, {
          registryId: '123456789012',
          repositoryName: 'cdk-hnb659fds-container-assets',
          imageIds: [{ imageTag: 'kubeone' }],
        })
        .rejects(awsError('ImageNotFoundException')),
    check: 'image of kubeone',
    state: 'wrong',
    found: /:kubeone is not in the registry/,
    fix: /--force/,
  },
  {
    what: 'a project was removed by hand',
    breakIt: (account) =>
      account.codeBuild.on(BatchGetProjectsCommand).resolves({
        projects: tools.filter((tool) => tool !== 'ansible').map((tool) => projectOf(tool)),
      }),
    check: 'runner Runner-ansible',
    state: 'wrong',
    found: /deleted by hand/,
    fix: /^npx cdk deploy .* --revert-drift #/,
  },
  {
    what: 'the key is going to be deleted',
    breakIt: (account) =>
      account.kms.on(DescribeKeyCommand).resolves({
        KeyMetadata: { KeyId: 'key-1', KeyState: 'PendingDeletion', DeletionDate: new Date('2026-12-01T00:00:00Z') },
      }),
    check: 'key',
    state: 'wrong',
    found: /deleted on 2026-12-01/,
    fix: /^aws kms cancel-key-deletion --key-id key-1 --region eu-central-1 && aws kms enable-key/,
  },
  {
    what: 'the key is disabled',
    breakIt: (account) =>
      account.kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'key-1', KeyState: 'Disabled' } }),
    check: 'key',
    state: 'wrong',
    found: /is Disabled/,
    fix: /^aws kms enable-key --key-id key-1 --region eu-central-1$/,
  },
  {
    what: 'the API lets the caller not in',
    breakIt: (_account, api) => Object.assign(api, { answer: { status: 403, body: { message: 'Forbidden' } } }),
    check: 'API',
    state: 'wrong',
    found: /403/,
    fix: /execute-api:Invoke/,
  },
  {
    what: 'the API wants tokens',
    breakIt: (_account, api) => Object.assign(api, { answer: { status: 401, body: { message: 'Unauthorized' } } }),
    check: 'API',
    state: 'wrong',
    found: /401/,
    fix: /set KUBELOOM_TOKEN/,
  },
  {
    what: 'the API fails',
    breakIt: (_account, api) => Object.assign(api, { answer: { status: 503, body: {} } }),
    check: 'API',
    state: 'wrong',
    found: /answered with 503/,
    fix: /runbooks\/api-server-errors/,
  },
  {
    what: 'the caller has no role',
    breakIt: (_account, api) => Object.assign(api, { answer: { status: 200, body: caller() } }),
    check: 'API',
    state: 'warning',
    found: /has no role/,
    fix: /RoleBinding/,
  },
];
