/** Logins without a key of the cloud. No STS is here: it is mocked, and the input of Terraform is checked. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { emptyRoot } from '#rendering/root-module.ts';
import { externalIdOf } from '#runner/external-id.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageLog } from '#runner/stage-log.ts';
import { type LoginPlace, logIn } from '#runner/terraform/templates/provider-login.ts';
import { webIdentityToken } from '#runner/web-identity.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

const templates = new URL('../../templates/terraform/', import.meta.url);
const backend = { bucket: 'b', region: 'r', key: 'k' };
const token = 'a-web-identity-token-of-aws';
const sts = mockClient(STSClient);
afterAll(() => sts.restore());

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeloom-keyless-'));
});
afterEach(async () => {
  sts.reset();
  await rm(directory, { recursive: true, force: true });
});

/** What Terraform gets for a Secret with these fields. */
async function loggedIn(type: string, fields: Readonly<Record<string, string>>, tokens?: LoginPlace['tokens']) {
  const ports = fakeDeps();
  await ports.secrets.put('user/team/cloud', fields);
  const mask = new SecretMask();
  const log = new StageLog({ artifacts: ports.artifacts, key: 'log', mask, clock: ports.clock });
  const template = ProviderTemplate.parse(
    JSON.parse(await readFile(new URL(`${type}/provider.json`, templates), 'utf8')),
  );
  const provider = { name: `${type}-1`, type, secret: 'team/cloud', templates: 'builtin@1' };
  const place = { directory, ...(tokens === undefined ? {} : { tokens }) };
  const { template: chosen, environment } = await logIn({ ports, mask, log }, provider, template, place);
  const root = emptyRoot(chosen, ['here'], backend);
  return {
    environment,
    mask,
    root,
    blocks: (root as { provider: Record<string, readonly Record<string, unknown>[]> }).provider,
  };
}

describe('AWS', () => {
  it('AWS gets a key, or a role with the ExternalId of installation and namespace', async () => {
    const key = await loggedIn('aws', { accesskey: 'id', secretkey: 'key' });
    expect(key.blocks.aws?.[0]).toMatchObject({
      access_key: '${var.secret_accesskey}',
      secret_key: '${var.secret_secretkey}',
    });
    expect(key.blocks.aws?.[0]).not.toHaveProperty('assume_role');
    const role = await loggedIn('aws', { rolearn: 'arn' });
    expect(role.blocks.aws?.[0]).toMatchObject({
      assume_role: { role_arn: '${var.secret_rolearn}', external_id: '${var.secret_externalid}' },
    });
    expect(role.blocks.aws?.[0]).not.toHaveProperty('access_key');
    expect(role.environment).toEqual({ TF_VAR_secret_rolearn: 'arn', TF_VAR_secret_externalid: 'kubeloom/team' });
    expect(Object.keys((role.root as { variable: object }).variable)).toEqual(['secret_externalid', 'secret_rolearn']);
  });

  it('an ExternalId of another namespace in the Secret is refused', async () => {
    expect((await loggedIn('aws', { rolearn: 'arn', externalid: 'kubeloom/team' })).environment).toEqual({
      TF_VAR_secret_rolearn: 'arn',
      TF_VAR_secret_externalid: 'kubeloom/team',
    });
    await expect(loggedIn('aws', { rolearn: 'arn', externalid: 'kubeloom/other' })).rejects.toMatchObject({
      error: { class: 'credentials', code: 'ExternalIdRefused', hint: expect.stringContaining('"kubeloom/team"') },
    });
  });

  it('the ExternalId of a role in a Vault names the namespace of the connection', () => {
    expect(externalIdOf('prod', 'vault://platform/vault/secret/clouds/aws')).toBe('prod/platform');
    expect(externalIdOf('prod', 'team/aws')).toBe('prod/team');
  });
});

describe('Azure', () => {
  it('Azure gets a token that AWS issues, kept in a private file', async () => {
    sts
      .on(GetWebIdentityTokenCommand)
      .resolves({ WebIdentityToken: token, Expiration: new Date(Date.now() + 900_000) });
    const { blocks, environment, mask } = await loggedIn('azure', {
      subscriptionid: 's',
      tenantid: 't',
      clientid: 'c',
    });
    expect(sts.commandCalls(GetWebIdentityTokenCommand)[0]?.args[0].input).toEqual({
      Audience: ['api://AzureADTokenExchange'],
      SigningAlgorithm: 'RS256',
      DurationSeconds: 900,
    });
    expect(blocks.azurerm?.[0]).toMatchObject({ use_oidc: true, use_cli: false, client_id: '${var.secret_clientid}' });
    expect(blocks.azurerm?.[0]).not.toHaveProperty('client_secret');
    const file = environment.TF_VAR_secret_tokenfile ?? '';
    expect(await readFile(file, 'utf8')).toBe(token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(mask.hide(`sent ${token}`)).toBe('sent ***');
  });

  it('Azure gets its own key when the Secret has one', async () => {
    const fields = { subscriptionid: 's', tenantid: 't', clientid: 'c', clientsecret: 'x' };
    const { blocks } = await loggedIn('azure', fields);
    expect(blocks.azurerm?.[0]).toMatchObject({ client_secret: '${var.secret_clientsecret}' });
    expect(blocks.azurerm?.[0]).not.toHaveProperty('use_oidc');
  });
});

describe('Google Cloud', () => {
  const fields = {
    workloadidentityprovider: 'projects/12/locations/global/workloadIdentityPools/p/providers/aws',
    serviceaccount: 'k@p.iam.gserviceaccount.com',
    gcpproject: 'p',
  };

  it('Google Cloud gets a token that AWS issues, through a workload identity pool', async () => {
    const asked: string[] = [];
    const tokens = async (audience: string) => {
      asked.push(audience);
      return { token, expiresAt: new Date(Date.now() + 900_000) };
    };
    const { blocks, environment } = await loggedIn('gcp', fields, tokens);
    expect(asked).toEqual([`https://iam.googleapis.com/${fields.workloadidentityprovider}`]);
    expect(blocks.google?.[0]).toMatchObject({
      credentials: '${var.secret_tokenfile}',
      project: '${var.secret_gcpproject}',
    });
    const account = JSON.parse(await readFile(environment.TF_VAR_secret_tokenfile ?? '', 'utf8'));
    expect(account).toMatchObject({
      type: 'external_account',
      audience: `//iam.googleapis.com/${fields.workloadidentityprovider}`,
      service_account_impersonation_url: expect.stringContaining('/serviceAccounts/k@p.iam.gserviceaccount.com:'),
    });
    expect(await readFile(account.credential_source.file, 'utf8')).toBe(token);
    expect(JSON.stringify(account)).not.toContain(token);
  });
});

describe('a token in its file', () => {
  afterEach(() => vi.useRealTimers());

  it('a token in its file is renewed before it expires, even after AWS issued none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    const answers = ['first', undefined, 'second'];
    const tokens = async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('AWS is busy');
      return { token: answer, expiresAt: new Date(Date.now() + 900_000) };
    };
    const { environment } = await loggedIn('azure', { subscriptionid: 's', tenantid: 't', clientid: 'c' }, tokens);
    const file = environment.TF_VAR_secret_tokenfile ?? '';
    expect(await readFile(file, 'utf8')).toBe('first');

    await vi.advanceTimersByTimeAsync(450_000);
    await vi.advanceTimersByTimeAsync(30_000);

    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe('second'), { timeout: 100_000 });
  });
});

describe('a token that AWS does not issue', () => {
  const ask = () => webIdentityToken('someone', () => undefined);
  it.each([
    ['OutboundWebIdentityFederationDisabledException', 'credentials', 'not enabled'],
    ['AccessDenied', 'credentials', 'AccessDenied'],
    ['ThrottlingException', 'transient', 'ThrottlingException'],
  ])('a token that AWS refuses with %s is reported', async (name, errorClass, words) => {
    sts.on(GetWebIdentityTokenCommand).rejects(Object.assign(new Error('x'), { name }));
    await expect(ask()).rejects.toMatchObject({
      error: { class: errorClass, code: 'WebIdentityRefused', message: expect.stringContaining(words) },
    });
  });

  it('a runner outside of AWS has no identity', async () => {
    sts.on(GetWebIdentityTokenCommand).rejects(Object.assign(new Error('x'), { name: 'CredentialsProviderError' }));
    await expect(ask()).rejects.toMatchObject({ error: { code: 'RunnerHasNoIdentity' } });
  });
});

describe('optional fields of a Secret', () => {
  it('a missing optional field is not given to Terraform', async () => {
    const { environment } = await loggedIn('verda', { clientid: 'c', clientsecret: 's', baseurl: '' });
    expect(Object.keys(environment).sort()).toEqual(['TF_VAR_secret_clientid', 'TF_VAR_secret_clientsecret']);
    await expect(loggedIn('verda', { clientid: 'c' })).rejects.toMatchObject({ error: { code: 'SecretFieldMissing' } });
  });
});
