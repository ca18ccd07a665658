/** `kubeloom doctor --aws` against accounts in which all is well, one thing is broken, or several, or nobody asks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { BatchGetProjectsCommand, ListProjectsCommand } from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand } from '@aws-sdk/client-ecr';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { GetAccountSettingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListServiceQuotasCommand } from '@aws-sdk/client-service-quotas';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, GetWebIdentityTokenCommand } from '@aws-sdk/client-sts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwsCheck } from '#cli/doctor/aws-check.ts';
import { examineAws } from '#cli/doctor/examine-aws.ts';
import { kubeloomProcess as kubeloom } from '../cli/kubeloom-process.ts';
import {
  type Account,
  awsError,
  buildsAtOnce,
  caller,
  concurrency,
  digest,
  type FakeApi,
  fakeApi,
  projectOf,
  soundAccount,
  stackIs,
  tools,
} from './aws-account.ts';

let api: FakeApi;
let account: Account;

beforeAll(async () => {
  api = await fakeApi();
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await api.close();
});

beforeEach(() => {
  account = soundAccount(api.url);
  api.answer = { status: 200, body: caller('admin') };
});

afterEach(() => {
  for (const client of Object.values(account)) client.restore();
});

const region = 'eu-central-1';
const examine = (token?: string) => examineAws({ region, installation: 'kubeloom', ...(token && { token }) });
const notOk = (checks: readonly AwsCheck[]): AwsCheck[] => checks.filter(({ state }) => state !== 'ok');

describe('an account in which all is well', () => {
  it('a healthy account is shown as healthy, line by line', async () => {
    const { checks, account: id } = await examine();
    expect(notOk(checks)).toEqual([]);
    expect(id).toBe('123456789012');
    expect(checks.map(({ name }) => name)).toEqual([
      'builds at once (ARM/Small)',
      ...['region', 'identity', 'Step Functions', 'CodeBuild', 'Lambda', 'concurrency of Lambda'],
      ...['tokens for other clouds', 'CDK bootstrap'],
      ...['storage', 'pipeline', 'api', 'observability'].map((part) => `stack kubeloom-${part}`),
      ...tools.map((tool) => `image of ${tool}`),
      ...['key', 'API'],
    ]);
    expect(checks.find(({ name }) => name === 'image of ansible')?.found).toBe(`${digest}, 210 MB`);
  });

  it('the API is asked with a signature of its region, or with the token that is given', async () => {
    await examine();
    expect(api.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\//);
    await examine('a-token');
    expect(api.authorization).toBe('Bearer a-token');
  });

  it('the doctor sends no request that changes anything', async () => {
    await examine();
    const sent = Object.values(account).flatMap((client) => client.calls().map(({ args }) => args[0].constructor.name));
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.filter((name) => !/^(Get|List|Describe|BatchGet)/.test(name))).toEqual([]);
  });
});

interface Fault {
  readonly what: string;
  readonly breakIt: () => unknown;
  readonly check: string;
  readonly state: AwsCheck['state'];
  readonly found: RegExp;
  readonly fix: RegExp;
}

const increase =
  /request-service-quota-increase --service-code codebuild --quota-code L-5ED1D25B .*--region eu-central-1/;
const faults: readonly Fault[] = [
  {
    what: 'the root of the account asks',
    breakIt: () =>
      account.sts
        .on(GetCallerIdentityCommand)
        .resolves({ Account: '123456789012', Arn: 'arn:aws:iam::123456789012:root' }),
    ...{ check: 'identity', state: 'warning', found: /:root$/, fix: /use a role/ },
  },
  {
    what: 'Step Functions may not be asked',
    breakIt: () => account.stepFunctions.on(ListStateMachinesCommand).rejects(awsError('AccessDeniedException')),
    ...{
      check: 'Step Functions',
      state: 'wrong',
      found: /access denied: states:ListStateMachines/,
      fix: /let this principal/,
    },
  },
  {
    what: 'CodeBuild does not answer',
    breakIt: () =>
      account.codeBuild.on(ListProjectsCommand).rejects(Object.assign(new Error('no host'), { code: 'ENOTFOUND' })),
    ...{ check: 'CodeBuild', state: 'wrong', found: /no answer \(ENOTFOUND\)/, fix: /region exists/ },
  },
  {
    what: 'Lambda has a bad day',
    breakIt: () => account.lambda.on(ListFunctionsCommand).rejects(awsError('ServiceException', 'sorry')),
    ...{ check: 'Lambda', state: 'wrong', found: /ServiceException: sorry/, fix: /retry/ },
  },
  {
    what: 'Lambda has the ten calls of a new account',
    breakIt: () => account.lambda.on(GetAccountSettingsCommand).resolves(concurrency(10)),
    ...{ check: 'concurrency of Lambda', state: 'warning', found: /^10 calls at once/, fix: /L-B99A9384/ },
  },
  {
    what: 'other functions have reserved all of Lambda',
    breakIt: () =>
      account.lambda.on(GetAccountSettingsCommand).resolves({
        AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 0 },
      }),
    ...{
      check: 'concurrency of Lambda',
      state: 'wrong',
      found: /^0 calls at once, 1000 more are reserved/,
      fix: /lambda/,
    },
  },
  {
    what: 'outbound federation is off',
    breakIt: () =>
      account.sts.on(GetWebIdentityTokenCommand).rejects(awsError('OutboundWebIdentityFederationDisabledException')),
    check: 'tokens for other clouds',
    ...{ state: 'warning', found: /is off/, fix: /^aws iam enable-outbound-web-identity-federation/ },
  },
  {
    what: 'the region was never bootstrapped',
    breakIt: () => account.ssm.on(GetParameterCommand).rejects(awsError('ParameterNotFound')),
    check: 'CDK bootstrap',
    ...{ state: 'wrong', found: /never bootstrapped/, fix: /^npx cdk bootstrap aws:\/\/123456789012\/eu-central-1$/ },
  },
  {
    what: 'the bootstrap is too old',
    breakIt: () => account.ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '5' } }),
    ...{ check: 'CDK bootstrap', state: 'wrong', found: /^version 5, and 6 is needed/, fix: /npx cdk bootstrap/ },
  },
  {
    what: 'no build may run',
    breakIt: () => account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 0 })),
    ...{ check: 'builds at once (ARM/Small)', state: 'wrong', found: /^0: no stage can run/, fix: increase },
  },
  {
    what: 'one build may run at once',
    breakIt: () => account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 1 })),
    ...{ check: 'builds at once (ARM/Small)', state: 'warning', found: /^1: stages wait/, fix: increase },
  },
  {
    what: 'quotas may not be looked at',
    breakIt: () => account.quotas.on(ListServiceQuotasCommand).rejects(awsError('AccessDeniedException')),
    ...{
      check: 'builds at once',
      state: 'wrong',
      found: /access denied: servicequotas:ListServiceQuotas/,
      fix: /let this/,
    },
  },
  {
    what: 'a deployment failed half-way',
    breakIt: () => stackIs(account.cloudFormation, 'observability', 'ROLLBACK_FAILED'),
    check: 'stack kubeloom-observability',
    ...{
      state: 'wrong',
      found: /^ROLLBACK_FAILED$/,
      fix: /describe-stack-events --stack-name kubeloom-observability/,
    },
  },
  {
    what: 'the last deployment was rolled back',
    breakIt: () => stackIs(account.cloudFormation, 'observability', 'UPDATE_ROLLBACK_COMPLETE'),
    check: 'stack kubeloom-observability',
    ...{ state: 'warning', found: /the one before it runs/, fix: /^npx cdk deploy --all/ },
  },
  {
    what: 'a deployment is under way',
    breakIt: () => stackIs(account.cloudFormation, 'observability', 'UPDATE_IN_PROGRESS'),
    ...{ check: 'stack kubeloom-observability', state: 'warning', found: /IN_PROGRESS/, fix: /^wait for it/ },
  },
  {
    what: 'the first deployment is under way',
    breakIt: () => stackIs(account.cloudFormation, 'observability', 'CREATE_IN_PROGRESS'),
    check: 'stack kubeloom-observability',
    ...{
      state: 'warning',
      found: /IN_PROGRESS/,
      fix: /wait stack-create-complete --stack-name kubeloom-observability --region eu-central-1$/,
    },
  },
  {
    what: 'the first deployment of what is protected failed',
    breakIt: () => stackIs(account.cloudFormation, 'storage', 'ROLLBACK_COMPLETE', [], true),
    check: 'stack kubeloom-storage',
    ...{
      state: 'wrong',
      found: /^ROLLBACK_COMPLETE$/,
      fix: /--no-enable-termination-protection --stack-name kubeloom-storage --region eu-central-1 && npx cdk deploy/,
    },
  },
  {
    what: 'going back to the release before failed',
    breakIt: () => stackIs(account.cloudFormation, 'observability', 'UPDATE_ROLLBACK_FAILED'),
    check: 'stack kubeloom-observability',
    ...{ state: 'wrong', found: /^UPDATE_ROLLBACK_FAILED$/, fix: /continue-update-rollback --stack-name/ },
  },
  {
    what: 'an image was removed from the registry',
    breakIt: () =>
      account.ecr
        .on(DescribeImagesCommand, {
          registryId: '123456789012',
          repositoryName: 'cdk-hnb659fds-container-assets',
          imageIds: [{ imageTag: 'kubeone' }],
        })
        .rejects(awsError('ImageNotFoundException')),
    ...{ check: 'image of kubeone', state: 'wrong', found: /:kubeone is not in the registry/, fix: /--force/ },
  },
  {
    what: 'a project was removed by hand',
    breakIt: () =>
      account.codeBuild.on(BatchGetProjectsCommand).resolves({
        projects: tools.filter((tool) => tool !== 'ansible').map((tool) => projectOf(tool)),
      }),
    ...{
      check: 'runner Runner-ansible',
      state: 'wrong',
      found: /deleted by hand/,
      fix: /^npx cdk deploy .* --revert-drift #/,
    },
  },
  {
    what: 'the key is going to be deleted',
    breakIt: () =>
      account.kms.on(DescribeKeyCommand).resolves({
        KeyMetadata: { KeyId: 'key-1', KeyState: 'PendingDeletion', DeletionDate: new Date('2026-12-01T00:00:00Z') },
      }),
    ...{
      check: 'key',
      state: 'wrong',
      found: /deleted on 2026-12-01/,
      fix: /^aws kms cancel-key-deletion --key-id key-1 --region eu-central-1 && aws kms enable-key/,
    },
  },
  {
    what: 'the key is disabled',
    breakIt: () =>
      account.kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'key-1', KeyState: 'Disabled' } }),
    ...{
      check: 'key',
      state: 'wrong',
      found: /is Disabled/,
      fix: /^aws kms enable-key --key-id key-1 --region eu-central-1$/,
    },
  },
  {
    what: 'the API lets the caller not in',
    breakIt: () => Object.assign(api, { answer: { status: 403, body: { message: 'Forbidden' } } }),
    ...{ check: 'API', state: 'wrong', found: /403/, fix: /execute-api:Invoke/ },
  },
  {
    what: 'the API wants tokens',
    breakIt: () => Object.assign(api, { answer: { status: 401, body: { message: 'Unauthorized' } } }),
    ...{ check: 'API', state: 'wrong', found: /401/, fix: /set KUBELOOM_TOKEN/ },
  },
  {
    what: 'the API fails',
    breakIt: () => Object.assign(api, { answer: { status: 503, body: {} } }),
    ...{ check: 'API', state: 'wrong', found: /answered with 503/, fix: /runbooks\/api-server-errors/ },
  },
  {
    what: 'the caller has no role',
    breakIt: () => Object.assign(api, { answer: { status: 200, body: caller() } }),
    ...{ check: 'API', state: 'warning', found: /has no role/, fix: /RoleBinding/ },
  },
];

describe('a single fault', () => {
  for (const { what, breakIt, check, state, found, fix } of faults) {
    it(`a single fault is reported alone, with its fix: ${what}`, async () => {
      breakIt();
      const wrong = notOk((await examine()).checks);
      expect(wrong).toHaveLength(1);
      expect(wrong[0]).toMatchObject({ name: check, state });
      expect(wrong[0]?.found).toMatch(found);
      expect(wrong[0]?.fix).toMatch(fix);
    });
  }
});

it('a missing deployment is reported, and checks that depend on it are skipped', async () => {
  const missing = awsError('ValidationError', 'Stack with id kubeloom-api does not exist');
  account.cloudFormation.reset();
  account.cloudFormation.on(DescribeStacksCommand).rejects(missing);
  const { checks } = await examine();
  const states = Object.fromEntries(notOk(checks).map(({ name, state }) => [name, state]));
  expect(states).toEqual({
    ...{ 'stack kubeloom-storage': 'wrong', 'stack kubeloom-pipeline': 'wrong', 'stack kubeloom-api': 'wrong' },
    ...{ 'stack kubeloom-observability': 'wrong', 'images of runners': 'skipped', key: 'skipped', API: 'skipped' },
  });
  const fixes = new Set(notOk(checks).map(({ fix }) => fix));
  expect(fixes).toEqual(
    new Set([
      undefined,
      'npx cdk deploy --all -c installation=kubeloom -c region=eu-central-1 # and every other -c that you gave before',
    ]),
  );
  // Checks for drift run on the second by default.
  for (const compute of ['ARM/Small', 'ARM Lambda/2GB'])
    expect(checks.find(({ name }) => name === `builds at once (${compute})`)?.state).toBe('ok');
});

it('a region without arm64 containers is reported only before the first deployment', async () => {
  account.cloudFormation.on(DescribeStacksCommand).rejects(awsError('ValidationError', 'Stack x does not exist'));
  const before = await examineAws({ region: 'eu-south-1', installation: 'kubeloom' });
  const reported = before.checks.find(({ name }) => name === 'containers on arm64');
  expect(reported).toMatchObject({ state: 'warning', found: expect.stringContaining('eu-south-1') });
  expect(reported?.fix).toContain('eu-central-1');
  for (const part of ['storage', 'pipeline', 'api', 'observability'])
    stackIs(account.cloudFormation, part, 'UPDATE_COMPLETE');
  const after = await examineAws({ region: 'eu-south-1', installation: 'kubeloom' });
  expect(after.checks.map(({ name }) => name)).not.toContain('containers on arm64');
});

it('several things broken at once are all reported', async () => {
  const broken = ['no build may run', 'outbound federation is off', 'the key is disabled', 'the API fails'];
  for (const { what, breakIt } of faults) if (broken.includes(what)) breakIt();
  const names = notOk((await examine()).checks).map(({ name }) => name);
  expect(names.sort()).toEqual(['API', 'builds at once (ARM/Small)', 'key', 'tokens for other clouds']);
});

it('quotas of every compute in use are checked, Lambda compute too', async () => {
  account.codeBuild.on(BatchGetProjectsCommand).resolves({
    projects: tools.map((tool) => projectOf(tool, tool === 'kubectl' ? 'lambda' : 'container')),
  });
  account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 20, 'ARM Lambda/2GB': 0 }));
  const wrong = notOk((await examine()).checks);
  expect(wrong.map(({ name, state }) => [name, state])).toEqual([['builds at once (ARM Lambda/2GB)', 'wrong']]);
});

it.each([
  ['CredentialsProviderError', /no credentials/, /aws configure sso/],
  ['ExpiredTokenException', /have expired/, /aws sso login/],
  ['InvalidClientTokenId', /does not know these credentials/, /aws configure list/],
])('the error %s ends the checks', async (name, found, fix) => {
  account.sts.on(GetCallerIdentityCommand).rejects(awsError(name));
  const { checks } = await examine();
  const [first, identity, ...rest] = checks;
  expect(first).toMatchObject({ name: 'region', state: 'ok' });
  expect(identity).toMatchObject({ name: 'identity', state: 'wrong' });
  expect(identity?.found).toMatch(found);
  expect(identity?.fix).toMatch(fix);
  expect(new Set(rest.map(({ state }) => state))).toEqual(new Set(['skipped']));
  expect(account.cloudFormation.calls()).toEqual([]);
});

describe('as a command', () => {
  const home = mkdtempSync(join(tmpdir(), 'kubeloom-nobody-'));
  const environment = {
    ...{ HOME: home, AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_PROFILE: '' },
    ...{ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_SESSION_TOKEN: '' },
  };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('doctor --aws without credentials says so, checks nothing else and exits with 1', async () => {
    const { code, stdout } = await kubeloom(['doctor', '--aws', '--region', region], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/wrong +identity +no credentials/);
    expect(stdout).toContain('aws configure sso');
    expect(stdout).toContain('1 wrong');
  });

  it('doctor --aws --json without a region says in JSON how to set one', async () => {
    const { code, stdout } = await kubeloom(['doctor', '--aws', '--json'], { environment });
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: AwsCheck[] };
    expect(checks[0]).toEqual({
      ...{ name: 'region', state: 'wrong', found: 'none is set' },
      fix: 'add --region REGION, or set AWS_REGION',
    });
  });

  it('doctor --region without --aws is refused', async () => {
    const { code, stderr } = await kubeloom(['doctor', '--region', region], { environment });
    expect(code).toBe(2);
    expect(stderr).toContain('--region is for --aws only');
  });
});
