/** Clouds that know no question for permissions: what their tokens show, on clouds of loopback. No account was asked. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { askCloud } from '#runner/provider-check/ask.ts';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { runCheck } from '#runner/provider-check/check-request.ts';
import { InMemorySecrets } from '#test/fakes/in-memory-artifacts.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from './fake-cloud.ts';

const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
const has = (token: string) => (request: CloudRequest) => request.headers.authorization === `Bearer ${token}`;

/** The findings as lines, and what the cloud was asked. */
async function checked(
  type: ProviderTypeName,
  fields: Readonly<Record<string, string>>,
  routes: Routes,
  regions: string[] = [],
) {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  const here = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value.replace('HERE', cloud.url)]),
  );
  const findings = await checkLogin(type, {
    fields: here,
    permissions: [],
    regions,
    bases: { api: cloud.url, login: `${cloud.url}/login` },
  });
  return { cloud, lines: findings.map(({ about, name, ok }) => `${about} ${name} ${ok}`) };
}

it('an answer that is too large is not read to its end, as it might fill the memory', async () => {
  const cloud = await fakeCloud({ 'GET /much': () => ({ body: 'x'.repeat(9_000_000) }) });
  open.push(cloud);
  await expect(askCloud(`${cloud.url}/much`)).rejects.toMatchObject({
    finding: { ok: null, message: expect.stringContaining('does not answer (too large)') },
  });
});

describe('Hetzner Cloud', () => {
  const credentials = 'h'.repeat(64);
  const routes = (code: string): Routes => ({
    'GET /v1/servers': (request) =>
      has(credentials)(request)
        ? { body: { meta: { pagination: { total_entries: 3 } } } }
        : { status: 401, body: { error: { code: 'unauthorized' } } },
    'POST /v1/ssh_keys': () => ({ status: code === 'invalid_input' ? 422 : 403, body: { error: { code } } }),
  });

  it('a Hetzner token that may write is distinguished from a read-only one', async () => {
    expect((await checked('hetzner', { credentials }, routes('invalid_input'))).lines).toEqual([
      'identity project true',
      'permission API token: Read & Write true',
      'quota limits null',
    ]);
    expect((await checked('hetzner', { credentials }, routes('token_readonly'))).lines[1]).toBe(
      'permission API token: Read & Write false',
    );
  });

  it.each([429, 503])('an answer HTTP %s of Hetzner is not reported as a missing permission', async (status) => {
    const busy = { 'POST /v1/ssh_keys': () => ({ status, body: { error: { code: 'rate_limit_exceeded' } } }) };
    expect((await checked('hetzner', { credentials }, { ...routes(''), ...busy })).lines[1]).toBe(
      'permission API token: Read & Write null',
    );
  });

  it('a wrong Hetzner token is reported', async () => {
    expect((await checked('hetzner', { credentials: 'x'.repeat(64) }, routes(''))).lines).toEqual([
      'identity token false',
    ]);
  });
});

it('missing DigitalOcean scopes and a reached limit are reported', async () => {
  const token = `dop_v1_${'a'.repeat(64)}`;
  const routes: Routes = {
    'GET /v2/account': () => ({ body: { account: { status: 'active', droplet_limit: 3 } } }),
    'GET /v2/droplets': () => ({ body: { meta: { total: 3 } } }),
    'POST /v2/droplets': () => ({ status: 403, body: { id: 'forbidden' } }),
  };
  expect((await checked('digitalocean', { token }, routes)).lines).toEqual([
    'identity account true',
    'permission droplet:read true',
    'permission droplet:create false',
    'quota droplets false',
  ]);
});

it.each([429, 503])('an answer HTTP %s of DigitalOcean is not reported as a missing scope', async (status) => {
  const busy = () => ({ status, body: {} });
  const routes: Routes = {
    'GET /v2/account': () => ({ body: { account: { status: 'active', droplet_limit: 3 } } }),
    'GET /v2/droplets': busy,
    'POST /v2/droplets': busy,
  };
  expect((await checked('digitalocean', { token: `dop_v1_${'a'.repeat(64)}` }, routes)).lines).toEqual([
    'identity account true',
    'permission droplet:read null',
    'permission droplet:create null',
  ]);
});

it('Cloudflare zones that cannot be listed now are not reported as missing', async () => {
  const routes: Routes = {
    'GET /client/v4/user/tokens/verify': () => ({ body: { result: { status: 'active' } } }),
    'GET /client/v4/zones': () => ({ status: 503, body: {} }),
  };
  expect((await checked('cloudflare', { apitoken: 't', accountid: 'a' }, routes)).lines).toEqual([
    'identity token true',
    'permission Zone: Zone: Read null',
  ]);
});

it('Cloudflare zones whose records may not be edited are reported', async () => {
  const routes: Routes = {
    'GET /client/v4/user/tokens/verify': () => ({ body: { result: { status: 'active' } } }),
    'GET /client/v4/zones': () => ({
      body: {
        result: [
          { name: 'a.example', permissions: ['#dns_records:edit'] },
          { name: 'b.example', permissions: ['#zone:read'] },
        ],
      },
    }),
  };
  expect((await checked('cloudflare', { apitoken: 't', accountid: 'a' }, routes)).lines).toEqual([
    'identity token true',
    'permission Zone: Zone: Read true',
    'permission Zone: DNS: Edit of a.example true',
    'permission Zone: DNS: Edit of b.example false',
  ]);
});

describe('OpenStack', () => {
  const fields = {
    authurl: 'HERE/v3',
    domainid: 'd',
    projectid: 'p',
    applicationcredentialid: 'i',
    applicationcredentialsecret: 's',
  };
  const routes = (isRight: boolean): Routes => ({
    'POST /v3/auth/tokens': ({ headers }) =>
      isRight
        ? {
            status: 201,
            headers: { 'x-subject-token': 'token' },
            body: {
              token: {
                project: { name: 'shop' },
                roles: [{ name: 'member' }],
                catalog: [
                  {
                    type: 'compute',
                    endpoints: [{ interface: 'public', region: 'one', url: `http://${headers.host}/nova` }],
                  },
                ],
              },
            },
          }
        : { status: 401, body: { error: { message: 's is wrong' } } },
    'GET /nova/limits': () => ({
      body: {
        limits: { absolute: { totalCoresUsed: 8, maxTotalCores: 8, totalInstancesUsed: 1, maxTotalInstances: -1 } },
      },
    }),
  });

  it('the OpenStack project and used up cores are reported', async () => {
    expect((await checked('openstack', fields, routes(true), ['one'])).lines).toEqual([
      'identity shop true',
      'quota Cores in one false',
    ]);
    expect((await checked('openstack', fields, routes(false))).lines).toEqual([
      'identity application credential false',
    ]);
  });
});

it('the OVHcloud project and used up cores are reported', async () => {
  const fields = { clientid: 'c', clientsecret: 's', servicename: 'abc' };
  const routes: Routes = {
    'POST /login': () => ({ body: { access_token: 'token' } }),
    'GET /cloud/project/abc': () => ({ body: {} }),
    'GET /cloud/project/abc/quota': () => ({
      body: [{ region: 'GRA11', instance: { usedCores: 5, maxCores: 5 } }, { region: 'BHS5' }],
    }),
  };
  expect((await checked('ovh', fields, routes)).lines).toEqual([
    'identity project abc true',
    'quota cores in GRA11 false',
    'permission policies null',
  ]);
});

describe('Verda', () => {
  const fields = { clientid: 'c', clientsecret: 's', baseurl: 'HERE' };
  const routes: Routes = {
    'POST /oauth2/token': ({ body }) =>
      JSON.parse(body).client_secret === fields.clientsecret
        ? { body: { access_token: 't' } }
        : { status: 401, body: { message: 'invalid_client' } },
    'GET /instances': (request) => (has('t')(request) ? { body: [] } : { status: 401, body: {} }),
    'GET /locations': () => ({ body: [{ code: 'FIN-01' }, { code: 'FIN-03' }] }),
    'GET /balance': () => ({ body: { amount: 12.5, currency: 'usd' } }),
  };

  it('a working Verda login, locations that do not exist, and the balance are reported', async () => {
    expect((await checked('verda', fields, routes, ['FIN-01', 'FIN-09'])).lines).toEqual([
      'identity client true',
      'identity FIN-09 false',
      'permission cloud-api-v1 null',
      'quota balance true',
    ]);
    const empty = { ...routes, 'GET /balance': () => ({ body: { amount: 0, currency: 'usd' } }) };
    expect((await checked('verda', fields, empty)).lines).toContain('quota balance null');
  });

  it('a wrong Verda secret is reported, and what Verda does not say is unknown', async () => {
    expect((await checked('verda', { ...fields, clientsecret: 'x' }, routes)).lines).toEqual(['identity login false']);
    const busy = () => ({ status: 503, body: {} });
    const { lines } = await checked('verda', fields, { ...routes, 'GET /locations': busy, 'GET /balance': busy }, [
      'FIN-09',
    ]);
    expect(lines).toEqual(['identity client true', 'permission cloud-api-v1 null', 'quota balance null']);
  });
});

it('a cloud that does not answer is not blamed on the credentials', async () => {
  const credentials = 'h'.repeat(64);
  const routes: Routes = { 'GET /v1/servers': () => ({ status: 503, body: {} }) };
  expect((await checked('hetzner', { credentials }, routes)).lines).toEqual(['identity token null']);
  const gone = await fakeCloud({});
  gone.close();
  const findings = await checkLogin('hetzner', {
    fields: { credentials },
    permissions: [],
    regions: [],
    bases: { api: gone.url },
  });
  expect(findings.map(({ ok, message }) => [ok, message.startsWith('does not answer')])).toEqual([[null, true]]);
});

describe('requested checks', () => {
  it('a check reads permissions.json of the type and the Secret, and hides secrets in answers', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubeloom-check-'));
    try {
      await mkdir(join(directory, 'terraform', 'hetzner'), { recursive: true });
      await writeFile(
        join(directory, 'terraform', 'hetzner', 'permissions.json'),
        '{"always":["a"],"resources":{"r":["b"]}}',
      );
      const credentials = 'h'.repeat(64);
      const cloud = await fakeCloud({
        'GET /v1/servers': () => ({ body: {} }),
        'POST /v1/ssh_keys': () => ({ status: 403, body: { error: { code: credentials } } }),
      });
      open.push(cloud);
      const secrets = new InMemorySecrets();
      await secrets.put('user/team/hz', { credentials });
      const request = { provider: 'hz', type: 'hetzner', secret: 'team/hz', regions: [] };
      const findings = await runCheck(request, {
        secrets,
        installation: 'kubeloom',
        templatesDirectory: directory,
        bases: { api: cloud.url },
      });
      expect(findings.map(({ ok }) => ok)).toEqual([true, false, null]);
      expect(JSON.stringify(findings)).not.toContain(credentials);
      const missing = await runCheck(
        { ...request, secret: 'team/none' },
        { secrets, installation: 'kubeloom', templatesDirectory: directory },
      );
      expect(missing).toMatchObject([{ name: 'SecretMissing', ok: false }]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('a check of a type without credentials has nothing to do', async () => {
    const around = { secrets: new InMemorySecrets(), installation: 'kubeloom', templatesDirectory: '/nowhere' };
    for (const type of ['local', 'sim'])
      expect(await runCheck({ provider: 'p', type, regions: [] }, around)).toEqual([]);
  });
});
