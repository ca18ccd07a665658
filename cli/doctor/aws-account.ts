/** What the account must have: an identity, a region, the services, concurrency of Lambda, federation, CDK's own stack. */
import { ListProjectsCommand } from '@aws-sdk/client-codebuild';
import { GetAccountSettingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, GetWebIdentityTokenCommand } from '@aws-sdk/client-sts';
import { type AwsCheck, isDenied, look, passed } from './aws-check.ts';
import type { AwsClients } from './aws-clients.ts';

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
    return { checks: [{ name: 'region', state: 'wrong', found: 'none is set', fix }] };
  }
  const checks: AwsCheck[] = [passed('region', region)];
  try {
    const { Account: account = '', Arn: arn = '' } = await clients.sts.send(new GetCallerIdentityCommand({}));
    const root = arn.endsWith(':root');
    const fix = 'use a role: the root of an account should sign nothing';
    checks.push(root ? { name: 'identity', state: 'warning', found: arn, fix } : passed('identity', arn));
    return { checks, place: { region, account } };
  } catch (error) {
    checks.push({ name: 'identity', state: 'wrong', ...noIdentity(error) });
    return { checks };
  }
}

function noIdentity(error: unknown): Pick<AwsCheck, 'found' | 'fix'> {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/^(ExpiredToken|ExpiredTokenException)$/.test(name) || /expired/i.test(message))
    return { found: 'the credentials have expired', fix: 'aws sso login, or fetch new ones as you did before' };
  if (/^(InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClientException)$/.test(name))
    return {
      found: `AWS does not know these credentials (${name})`,
      fix: 'aws configure list shows where they come from',
    };
  if (/Credentials|TokenProvider/.test(name))
    return { found: 'no credentials', fix: 'aws configure sso, or set AWS_PROFILE' };
  return { found: `${name}: ${message}`, fix: 'check that the region exists and that this machine reaches AWS' };
}

export async function checkAccount(clients: AwsClients, place: AwsPlace): Promise<readonly AwsCheck[]> {
  const answers = 'answers';
  const found = await Promise.all([
    look('Step Functions', 'states:ListStateMachines', async () => {
      await clients.stepFunctions.send(new ListStateMachinesCommand({ maxResults: 1 }));
      return passed('Step Functions', answers);
    }),
    look('CodeBuild', 'codebuild:ListProjects', async () => {
      await clients.codeBuild.send(new ListProjectsCommand({}));
      return passed('CodeBuild', answers);
    }),
    look('Lambda', 'lambda:ListFunctions', async () => {
      await clients.lambda.send(new ListFunctionsCommand({ MaxItems: 1 }));
      return passed('Lambda', answers);
    }),
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
  return {
    name,
    state: free < 5 ? 'wrong' : 'warning',
    found: `${found}: the API and busy runs will be throttled`,
    fix,
  };
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
      return { name, state: 'warning', found: 'outbound identity federation is off in this account', fix };
    }
    if (!isDenied(error)) throw error;
    const fix = 'let this principal sts:GetWebIdentityToken to find out; runners have it';
    return { name, state: 'warning', found: 'access denied, so this could not be checked', fix };
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
    return { name, state: 'wrong', found: `version ${version}, and ${bootstrapVersion} is needed`, fix };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ParameterNotFound') throw error;
    return { name, state: 'wrong', found: 'this region was never bootstrapped', fix };
  }
}
