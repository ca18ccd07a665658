/** An AWS account without problems, as the SDK would report it; each test breaks one part. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { BatchGetProjectsCommand, CodeBuildClient, ListProjectsCommand } from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetAccountSettingsCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListServiceQuotasCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';

export type Account = ReturnType<typeof soundAccount>;

export const tools = ['terraform', 'ansible', 'kubeone', 'kubectl'] as const;
export const digest = `sha256:${'a'.repeat(64)}`;

/** An error as the SDK throws it. */
export function awsError(name: string, message = name): Error {
  return Object.assign(new Error(message), { name, $metadata: {} });
}

export function soundAccount(apiUrl: string) {
  const account = {
    sts: mockClient(STSClient),
    stepFunctions: mockClient(SFNClient),
    codeBuild: mockClient(CodeBuildClient),
    lambda: mockClient(LambdaClient),
    quotas: mockClient(ServiceQuotasClient),
    cloudFormation: mockClient(CloudFormationClient),
    ecr: mockClient(ECRClient),
    kms: mockClient(KMSClient),
    ssm: mockClient(SSMClient),
  };
  account.sts.on(GetCallerIdentityCommand).resolves({
    Account: '123456789012',
    Arn: 'arn:aws:sts::123456789012:assumed-role/ops/ann',
  });
  account.sts.on(GetWebIdentityTokenCommand).resolves({ WebIdentityToken: 'token' });
  account.stepFunctions.on(ListStateMachinesCommand).resolves({ stateMachines: [] });
  account.codeBuild.on(ListProjectsCommand).resolves({ projects: [] });
  account.codeBuild.on(BatchGetProjectsCommand).resolves({ projects: tools.map((tool) => projectOf(tool)) });
  account.lambda.on(ListFunctionsCommand).resolves({ Functions: [] });
  account.lambda.on(GetAccountSettingsCommand).resolves(concurrency(1000));
  account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 20, 'ARM Lambda/2GB': 20 }));
  for (const part of ['storage', 'pipeline', 'api', 'observability']) {
    stackIs(account.cloudFormation, part, 'UPDATE_COMPLETE', outputsOf(apiUrl)[part]);
  }
  account.cloudFormation.on(ListStackResourcesCommand, { StackName: 'kubeloom-pipeline' }).resolves({
    StackResourceSummaries: tools.map((tool) => resource('AWS::CodeBuild::Project', `Runner-${tool}`)),
  });
  account.cloudFormation.on(ListStackResourcesCommand, { StackName: 'kubeloom-storage' }).resolves({
    StackResourceSummaries: [resource('AWS::KMS::Key', 'key-1'), resource('AWS::S3::Bucket', 'bucket-1')],
  });
  account.ecr.on(DescribeImagesCommand).resolves({
    imageDetails: [{ imageDigest: digest, imageSizeInBytes: 210_000_000 }],
  });
  account.kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'key-1', KeyState: 'Enabled' } });
  account.ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '28' } });
  return account;
}

/** Outputs of the stacks that have some. */
export const outputsOf = (
  apiUrl: string,
  { admins = 'iam:arn:aws:iam::123456789012:role/ops', networks = '192.0.2.0/24' } = {},
): Readonly<Record<string, { OutputKey: string; OutputValue: string }[]>> => ({
  api: [
    { OutputKey: 'Url', OutputValue: apiUrl },
    { OutputKey: 'Admins', OutputValue: admins },
  ],
  pipeline: [{ OutputKey: 'RunnerCidrs', OutputValue: networks }],
});

export function stackIs(
  cloudFormation: Account['cloudFormation'],
  part: string,
  StackStatus: StackStatus,
  Outputs: { OutputKey: string; OutputValue: string }[] = [],
  EnableTerminationProtection = false,
): void {
  const StackName = `kubeloom-${part}`;
  const stack = { StackName, StackStatus, Outputs, EnableTerminationProtection, CreationTime: new Date(0) };
  cloudFormation.on(DescribeStacksCommand, { StackName }).resolves({ Stacks: [stack] });
}

export const concurrency = (limit: number) => ({
  AccountLimit: { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: limit },
});

export function buildsAtOnce(limits: Readonly<Record<string, number>>) {
  return {
    Quotas: Object.entries(limits).map(([compute, Value]) => ({
      QuotaName: `Concurrently running builds for ${compute} environment`,
      QuotaCode: compute === 'ARM/Small' ? 'L-5ED1D25B' : 'L-00000000',
      Value,
    })),
  };
}

export function projectOf(tool: string, compute: 'container' | 'lambda' = 'container') {
  const image = `123456789012.dkr.ecr.eu-central-1.amazonaws.com/cdk-hnb659fds-container-assets:${tool}`;
  const environment =
    compute === 'lambda'
      ? ({ type: 'ARM_LAMBDA_CONTAINER', computeType: 'BUILD_LAMBDA_2GB', image } as const)
      : ({ type: 'ARM_CONTAINER', computeType: 'BUILD_GENERAL1_SMALL', image } as const);
  return { name: `Runner-${tool}`, description: `Kubeloom runner: ${tool}`, environment };
}

function resource(ResourceType: string, PhysicalResourceId: string) {
  const rest = { LogicalResourceId: PhysicalResourceId, ResourceStatus: 'CREATE_COMPLETE' } as const;
  return { ResourceType, PhysicalResourceId, LastUpdatedTimestamp: new Date(0), ...rest };
}

export interface FakeApi {
  readonly url: string;
  /** What `GET /v1/whoami` answers; a fresh one each time. */
  answer: { status: number; body: unknown };
  /** `authorization` of the last request. */
  authorization: string;
  close(): Promise<void>;
}

export async function fakeApi(): Promise<FakeApi> {
  const server = createServer((request, response) => {
    api.authorization = request.headers.authorization ?? '';
    const known = request.url === '/v1/whoami';
    response.writeHead(known ? api.answer.status : 404).end(JSON.stringify(api.answer.body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const api: FakeApi = {
    url: `http://127.0.0.1:${port}`,
    answer: { status: 200, body: caller('admin') },
    authorization: '',
    close: () => new Promise((done) => server.close(() => done())),
  };
  return api;
}

export function caller(role?: 'admin' | 'viewer') {
  const grants = role === undefined ? [] : [{ role, namespaces: ['*'] }];
  return { name: 'arn:aws:iam::123456789012:role/ops', kind: 'iam', from: '192.0.2.1', grants };
}
