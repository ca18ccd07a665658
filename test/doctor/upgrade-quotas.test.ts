/** Before an upgrade the account is asked for what the new release needs and the installed one does without. */
import { BatchGetProjectsCommand } from '@aws-sdk/client-codebuild';
import { ListServiceQuotasCommand } from '@aws-sdk/client-service-quotas';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { examineForUpgrade } from '#cli/doctor/examine-aws.ts';
import { type Account, awsError, buildsAtOnce, projectOf, soundAccount, tools } from './aws-account.ts';

let account: Account;
beforeEach(() => {
  account = soundAccount('https://api.example');
});
afterEach(() => {
  for (const client of Object.values(account)) client.restore();
});
const examine = () => examineForUpgrade({ region: 'eu-central-1', installation: 'kubeloom' });

it('an installation whose runners are all containers needs the quota of Lambda compute: it is named with its fix', async () => {
  account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 20, 'ARM Lambda/2GB': 1 }));
  const [quota, ...more] = await examine();
  expect(more).toEqual([]);
  expect(quota).toMatchObject({ name: 'builds at once (ARM Lambda/2GB)', state: 'warning' });
  expect(quota?.found).toMatch(/^1: /);
  expect(quota?.fix).toMatch(/^aws service-quotas request-service-quota-increase .*eu-central-1/);
});

it('an installation that has Lambda compute already needs no quota that is new', async () => {
  account.codeBuild.on(BatchGetProjectsCommand).resolves({
    projects: tools.map((tool) => projectOf(tool, tool === 'kubectl' ? 'lambda' : 'container')),
  });
  account.quotas.on(ListServiceQuotasCommand).resolves(buildsAtOnce({ 'ARM/Small': 20, 'ARM Lambda/2GB': 0 }));
  expect(await examine()).toEqual([]);
});

it('a principal that may not list quotas, or is no one, gets that answer', async () => {
  account.quotas.on(ListServiceQuotasCommand).rejects(awsError('AccessDeniedException'));
  expect(await examine()).toMatchObject([
    { name: 'builds at once', state: 'wrong', found: 'access denied: servicequotas:ListServiceQuotas' },
  ]);
  account.sts.on(GetCallerIdentityCommand).rejects(awsError('ExpiredToken'));
  expect(await examine()).toMatchObject([{ name: 'identity', state: 'wrong' }]);
});

it('an account without the installation is not taken for one that needs nothing', async () => {
  account.codeBuild.on(BatchGetProjectsCommand).resolves({ projects: [] });
  expect((await examine()).at(-1)).toMatchObject({
    state: 'skipped',
    found: 'the account has no project of kubeloom in eu-central-1',
  });
});
