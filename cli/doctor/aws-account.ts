/** What the account must have: an identity, a region, the services, concurrency of Lambda and CodeBuild, federation, CDK's own stack. */
import type { Project } from '@aws-sdk/client-codebuild';
import { ListProjectsCommand } from '@aws-sdk/client-codebuild';
import { GetAccountSettingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { paginateListServiceQuotas, type ServiceQuota } from '@aws-sdk/client-service-quotas';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, GetWebIdentityTokenCommand } from '@aws-sdk/client-sts';
import type { AwsClients } from './aws-check.ts';
import { type AwsCheck, isDenied, look, passed, warned, wrong } from './aws-check.ts';

export interface AwsPlace {
  readonly region: string;
  readonly account: string;
}

/** The caller's identity and region; without both no other check is possible. */
export async function findPlace(clients: AwsClients): Promise<{
  readonly checks: readonly AwsCheck[];
  readonly place?: AwsPlace;
}> {
  const region = await clients.sts.config.region().catch(() => undefined);
  if (!region) {
    const fix = 'add --region REGION, or set AWS_REGION';
    return { checks: [wrong('region', 'none is set', fix)] };
  }
  const checks: AwsCheck[] = [passed('region', region)];
  try {
    const { Account: account = '', Arn: arn = '' } = await clients.sts.send(new GetCallerIdentityCommand({}));
    const root = arn.endsWith(':root');
    const fix = 'use a role: the root user of an account should not sign requests';
    checks.push(root ? warned('identity', arn, fix) : passed('identity', arn));
    return { checks, place: { region, account } };
  } catch (error) {
    checks.push(noIdentity(error));
    return { checks };
  }
}

function noIdentity(error: unknown): AwsCheck {
  const lacks = (found: string, fix: string) => wrong('identity', found, fix);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/^(ExpiredToken|ExpiredTokenException)$/.test(name) || /expired/i.test(message))
    return lacks('the credentials have expired', 'aws sso login, or fetch new credentials');
  if (/^(InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClientException)$/.test(name))
    return lacks(`AWS does not know these credentials (${name})`, 'aws configure list shows where they come from');
  if (/Credentials|TokenProvider/.test(name)) return lacks('no credentials', 'aws configure sso, or set AWS_PROFILE');
  return lacks(`${name}: ${message}`, 'check that the region exists and that this machine reaches AWS');
}

export async function checkAccount(clients: AwsClients, place: AwsPlace): Promise<readonly AwsCheck[]> {
  const answers = (name: string, action: string, ask: () => Promise<unknown>) =>
    look(name, action, () => ask().then(() => passed(name, 'answers')));
  const found = await Promise.all([
    answers('Step Functions', 'states:ListStateMachines', () =>
      clients.stepFunctions.send(new ListStateMachinesCommand({ maxResults: 1 })),
    ),
    answers('CodeBuild', 'codebuild:ListProjects', () => clients.codeBuild.send(new ListProjectsCommand({}))),
    answers('Lambda', 'lambda:ListFunctions', () => clients.lambda.send(new ListFunctionsCommand({ MaxItems: 1 }))),
    look('concurrency of Lambda', 'lambda:GetAccountSettings', () => checkConcurrency(clients, place.region)),
    look('tokens for other clouds', 'sts:GetWebIdentityToken', () => checkFederation(clients)),
    look('CDK bootstrap', 'ssm:GetParameter', () => checkBootstrap(clients, place)),
  ]);
  return found.flat();
}

/** Enough for fifty calls of the API at once and the states of some clusters. */
const enoughAtOnce = 100;

async function checkConcurrency({ lambda }: AwsClients, region: string): Promise<AwsCheck> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  const free = AccountLimit?.UnreservedConcurrentExecutions ?? limit;
  const name = 'concurrency of Lambda';
  const found = `${free} calls at once${free < limit ? `, ${limit - free} more are reserved by other functions` : ''}`;
  if (free >= enoughAtOnce) return passed(name, found);
  const fix = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region ${region}`;
  return (free < 5 ? wrong : warned)(name, `${found}: the API and busy runs will be throttled`, fix);
}

/** Only logins without a key need it: Azure, Google Cloud, Vault. */
async function checkFederation({ sts }: AwsClients): Promise<AwsCheck> {
  const name = 'tokens for other clouds';
  try {
    await sts.send(
      new GetWebIdentityTokenCommand({ Audience: ['kubeloom-doctor'], SigningAlgorithm: 'RS256', DurationSeconds: 60 }),
    );
    return passed(name, 'STS issues them: keyless logins to Azure, Google Cloud and Vault can work');
  } catch (error) {
    if (error instanceof Error && error.name === 'OutboundWebIdentityFederationDisabledException') {
      const fix =
        'aws iam enable-outbound-web-identity-federation (once for the account; not needed for logins with keys)';
      return warned(name, 'outbound identity federation is off in this account', fix);
    }
    if (!isDenied(error)) throw error;
    const fix = 'let this principal sts:GetWebIdentityToken to find out; runners have it';
    return warned(name, 'access denied, so this could not be checked', fix);
  }
}

/** What aws-cdk-lib asks of the stack for images and files. */
const bootstrapVersion = 6;

async function checkBootstrap({ ssm }: AwsClients, { account, region }: AwsPlace): Promise<AwsCheck> {
  const name = 'CDK bootstrap';
  const fix = `npx cdk bootstrap aws://${account}/${region}`;
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }));
    const version = Number(Parameter?.Value);
    if (version >= bootstrapVersion) return passed(name, `version ${version}`);
    return wrong(name, `version ${version}, and ${bootstrapVersion} is needed`, fix);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ParameterNotFound') throw error;
    return wrong(name, 'this region was never bootstrapped', fix);
  }
}

/** The compute that the default options use, checks for drift the second: for an account in which nothing is deployed yet. */
const byDefault = ['ARM/Small', 'ARM Lambda/2GB'] as const;

/** Stages of five clusters, which a manifest may work on at once, with some room. */
const comfortable = 10;

/** Where CodeBuild has containers on arm64, as its API documents it; it may be more by now. */
const armRegions = [
  ...['us-east-1', 'us-east-2', 'us-west-2', 'sa-east-1', 'eu-west-1', 'eu-central-1'],
  ...['ap-south-1', 'ap-northeast-1', 'ap-southeast-1', 'ap-southeast-2'],
];

/** No findings where it does not matter: runners that exist show that the region has them. */
function checkArm(projects: readonly Project[], region: string): readonly AwsCheck[] {
  if (projects.length > 0 || armRegions.includes(region)) return [];
  const found = `AWS documents none of CodeBuild for ${region}; the stack of the pipeline may be refused`;
  const fix = `check in the console of CodeBuild whether ${region} has them by now, or deploy to one of ${armRegions.join(', ')}`;
  return [warned('containers on arm64', found, fix)];
}

export async function checkQuotas(
  clients: AwsClients,
  projects: readonly Project[],
  region: string,
): Promise<readonly AwsCheck[]> {
  const used = new Set(projects.map(({ environment }) => computeName(environment)));
  if (used.size === 0) for (const compute of byDefault) used.add(compute);
  return [...checkArm(projects, region), ...(await checkBuilds(clients, [...used].sort(), region))];
}

/** Quotas of the compute that the default options of this release use and the deployed projects do not. */
export async function checkNewQuotas(
  clients: AwsClients,
  projects: readonly Project[],
  region: string,
): Promise<readonly AwsCheck[]> {
  const used = projects.map(({ environment }) => computeName(environment));
  const fresh = byDefault.filter((compute) => !used.includes(compute));
  return fresh.length === 0 ? [] : checkBuilds(clients, fresh, region);
}

function checkBuilds(clients: AwsClients, computes: readonly string[], region: string): Promise<readonly AwsCheck[]> {
  return look('builds at once', 'servicequotas:ListServiceQuotas', async () => {
    const quotas: ServiceQuota[] = [];
    for await (const page of paginateListServiceQuotas({ client: clients.quotas }, { ServiceCode: 'codebuild' }))
      quotas.push(...(page.Quotas ?? []));
    return computes.map((compute) => assessQuota(compute, quotas, region));
  });
}

/** As Service Quotas calls it: `ARM/Small`, `ARM Lambda/2GB`. */
function computeName(environment: Project['environment']): string {
  const { type = '', computeType = '' } = environment ?? {};
  const size = computeType.split('_').at(-1) ?? '';
  if (type === 'ARM_LAMBDA_CONTAINER') return `ARM Lambda/${size}`;
  if (type === 'ARM_CONTAINER') return `ARM/${size.charAt(0)}${size.slice(1).toLowerCase()}`;
  return `${type}/${size}`;
}

function assessQuota(compute: string, quotas: readonly ServiceQuota[], region: string): AwsCheck {
  const name = `builds at once (${compute})`;
  const wanted = `Concurrently running builds for ${compute} environment`.toLowerCase();
  const quota = quotas.find(({ QuotaName }) => QuotaName?.toLowerCase() === wanted);
  if (quota?.Value === undefined) {
    const fix = `aws service-quotas list-service-quotas --service-code codebuild --region ${region} shows what there is`;
    return warned(name, 'Service Quotas does not list it', fix);
  }
  if (quota.Value >= comfortable) return passed(name, String(quota.Value));
  const { QuotaCode: code } = quota;
  const fix = `aws service-quotas request-service-quota-increase --service-code codebuild --quota-code ${code} --desired-value 20 --region ${region}`;
  if (quota.Value === 0) return wrong(name, '0: no stage can run in this account', fix);
  const waits = quota.Value === 1 ? 'stages wait for each other' : 'several clusters at once wait for each other';
  return warned(name, `${quota.Value}: ${waits}`, fix);
}
