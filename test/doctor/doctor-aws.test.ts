/** `kubeloom doctor --aws` against accounts without problems, with one or several, and without credentials. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { BatchGetProjectsCommand } from '@aws-sdk/client-codebuild';
import { ListServiceQuotasCommand } from '@aws-sdk/client-service-quotas';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwsCheck } from '#cli/doctor/aws-check.ts';
import { examineAws } from '#cli/doctor/examine-aws.ts';
import { kubeloomProcess as kubeloom } from '../cli/kubeloom-process.ts';
import { accountFaults } from './account-faults.ts';
import {
  type Account,
  awsError,
  buildsAtOnce,
  caller,
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
      ...['admins', 'SSH to machines'],
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

describe('a single fault', () => {
  for (const { what, breakIt, check, state, found, fix } of accountFaults) {
    it(`a single fault is reported alone, with its fix: ${what}`, async () => {
      breakIt(account, api);
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
    'stack kubeloom-storage': 'wrong',
    'stack kubeloom-pipeline': 'wrong',
    'stack kubeloom-api': 'wrong',
    'stack kubeloom-observability': 'wrong',
    'images of runners': 'skipped',
    key: 'skipped',
    API: 'skipped',
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
  for (const { what, breakIt } of accountFaults) if (broken.includes(what)) breakIt(account, api);
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
  const home = mkdtempSync(join(tmpdir(), 'kubeloom-stranger-'));
  const environment = {
    HOME: home,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: '',
    AWS_DEFAULT_REGION: '',
    AWS_PROFILE: '',
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
    AWS_SESSION_TOKEN: '',
  };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('doctor --aws without credentials reports that, checks nothing else and exits with 1', async () => {
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
      name: 'region',
      state: 'wrong',
      found: 'none is set',
      fix: 'add --region REGION, or set AWS_REGION',
    });
  });

  it('doctor --region without --aws is refused', async () => {
    const { code, stderr } = await kubeloom(['doctor', '--region', region], { environment });
    expect(code).toBe(2);
    expect(stderr).toContain('--region needs --aws');
  });
});
