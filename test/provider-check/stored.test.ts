/**
 * Credentials that are stored here and in a Vault, tried by the real runner as a build of the local platform, at a cloud of
 * loopback that repeats every secret it is sent. Then everything that was stored and reported is searched for them.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { questionKeys } from '#contracts/job.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom } from '#test/cli/kubeloom.ts';
import type { Outcome } from '#test/cli/kubeloom-process.ts';
import { type FakeVault, startFakeVault } from '#test/vault/fake-vault.ts';
import { type FakeCloud, fakeCloud } from './fake-cloud.ts';

const mark = (): string => randomBytes(24).toString('hex');
const secrets = { stored: mark(), vaulted: mark(), broken: mark() };
const key = { namespace: 'default', name: 'shop' };

let world: string;
let cloud: FakeCloud;
let vault: FakeVault;
let platform: Platform;
/** Runs from the last to the first, also after a partial start. */
const cleanUp: (() => unknown)[] = [];
const reported: string[] = [];

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${platform.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  reported.push(text);
  return { status: response.status, text };
}

async function check(...args: readonly string[]): Promise<Outcome> {
  const environment = { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token };
  const outcome = await kubeloom(['provider', 'check', ...args], { environment });
  reported.push(outcome.stdout, outcome.stderr);
  return outcome;
}

/** Accepts every caller with a secret that is not `broken`; repeats the secret in every answer. */
const openStack = () =>
  fakeCloud({
    'POST /v3/auth/tokens': ({ body, headers }) => {
      const secret = JSON.parse(body).auth.identity.application_credential.secret as string;
      if (secret === secrets.broken) return { status: 401, body: { error: { message: `${secret} is wrong` } } };
      const endpoint = { interface: 'public', region: 'one', url: `http://${headers.host}/nova` };
      const token = {
        project: { name: `shop of ${secret}` },
        roles: [{ name: `member ${secret}` }],
        catalog: [{ type: 'compute', endpoints: [endpoint] }],
      };
      return { status: 201, headers: { 'x-subject-token': 'token' }, body: { token } };
    },
    'GET /nova/limits': () => ({
      body: { limits: { absolute: { totalCoresUsed: 8, maxTotalCores: 8 } } },
    }),
  });

const fieldsWith = (secret: string) => ({
  authurl: `${cloud.url}/v3`,
  domainid: 'd',
  projectid: 'p',
  applicationcredentialid: 'i',
  applicationcredentialsecret: secret,
});

function manifest() {
  const stored = (name: string) => ({ name, providerType: 'openstack', secretRef: { name, namespace: 'default' } });
  const pool = (name: string) => ({
    name,
    count: 1,
    serverType: 's',
    image: 'i',
    providerSpec: { name, region: 'one', externalNetworkName: 'public' },
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'shop' },
    spec: {
      providers: [
        stored('stored'),
        stored('broken'),
        { name: 'vaulted', providerType: 'openstack', secretRef: { vault: { path: 'clouds/one', mount: 'two' } } },
      ],
      nodePools: { dynamic: ['stored', 'broken', 'vaulted'].map(pool) },
      kubernetes: {
        clusters: [
          {
            name: 'shop',
            version: '1.36.0',
            network: '192.168.3.0/24',
            pools: { control: ['stored'], compute: ['broken', 'vaulted'] },
          },
        ],
      },
    },
  };
}

async function keep(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
  const document = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
  expect((await api('PUT', `/v1/secrets/default/${name}`, document)).status).toBeLessThan(300);
}

beforeAll(async () => {
  world = await mkdtemp(join(tmpdir(), 'kubeloom-stored-check-'));
  cleanUp.push(() => rm(world, { recursive: true, force: true }));
  cloud = await openStack();
  cleanUp.push(() => cloud.close());
  vault = await startFakeVault();
  cleanUp.push(() => vault.close());
  const terraform = join(world, 'terraform');
  await writeFile(terraform, '#!/bin/sh\nexit 1\n');
  await chmod(terraform, 0o755);
  cleanUp.push(() => vi.unstubAllEnvs());
  const settings = { TERRAFORM: terraform, LOG: 'none', STAGE_RETRY_SECONDS: '0', MAX_STAGE_ATTEMPTS: '1' };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`KUBELOOM_${name}`, value);
  platform = await startPlatform({ dataDir: join(world, 'data'), runner: 'real', apiPort: 0, graceMs: 100 });
  cleanUp.push(() => platform.stop());
  await keep('stored', fieldsWith(secrets.stored));
  await keep('broken', fieldsWith(secrets.broken));
  const { roleId, secretId } = await vault.appRole();
  await vault.write('two', 'clouds/one', fieldsWith(secrets.vaulted));
  await keep('vault', { address: vault.address, roleid: roleId, secretid: secretId });
  expect((await api('PUT', '/v1/manifests/default/shop', manifest())).status).toBe(202);
}, 60_000);

afterAll(async () => {
  for (const step of cleanUp.toReversed()) await step();
});

describe('credentials of a stored manifest', () => {
  it('stored credentials are checked by the runner, and reported as for files', async () => {
    const { code, stdout } = await check('stored', '--json');
    expect(JSON.parse(stdout)).toEqual({
      provider: 'stored',
      ok: false,
      findings: [
        { about: 'identity', name: 'shop of ***', ok: true, message: 'roles member ***' },
        {
          about: 'quota',
          name: 'Cores in one',
          ok: false,
          message: '8 of 8 used: nothing is left, request a higher quota',
        },
      ],
    });
    expect(code).toBe(3);
    const refused = await check('broken', '--manifest', 'shop');
    expect([refused.code, refused.stdout]).toEqual([
      3,
      expect.stringMatching(/no identity application credential: is refused \(HTTP 401\).*\nbroken lacks/s),
    ]);
  }, 60_000);

  it('credentials in a Vault are read in their present version', async () => {
    expect((await check('vaulted', '--json')).stdout).toContain('shop of ***');
    await vault.write('two', 'clouds/one', fieldsWith(secrets.broken));
    expect((await check('vaulted', '--json')).stdout).toContain('is refused (HTTP 401)');
    expect(await vault.livingTokens()).toBe(0);
    await vault.seal();
    const { code, stdout } = await check('vaulted');
    expect([code, stdout]).toEqual([3, expect.stringContaining('VaultSealed')]);
  }, 60_000);

  it('credentials that no longer exist are named', async () => {
    await vault.unseal();
    await vault.remove('clouds/one');
    expect((await check('vaulted')).stdout).toContain('VaultSecretMissing');
  }, 60_000);

  it('credentials are in nothing that is stored or shown', async () => {
    const kept = platform.objects(questionKeys.checks(key, 'stored'));
    expect(kept.map((one) => one.split('/').at(-1)).sort()).toEqual(['build.json', 'request.json', 'result.json']);
    const { text } = await api('GET', '/v1/manifests/default/shop/events?limit=200');
    expect(text).toContain('check of the credentials of provider');
    await api('GET', '/v1/manifests/default/shop/providers/stored/checks/1');
    const texts = new Map([['what was reported', reported.join('\n')]]);
    for (const entry of await readdir(world, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) texts.set(relative(world, path), await readFile(path, 'latin1'));
    }
    expect([...texts.values()].filter((one) => one.includes('shop of ***')).length).toBeGreaterThan(1);
    const needles = Object.entries(secrets).flatMap(([what, value]) =>
      [value, Buffer.from(value).toString('base64')].map((needle) => ({ what, needle })),
    );
    const places = [...texts].flatMap(([place, one]) =>
      needles.filter(({ needle }) => one.includes(needle)).map(({ what }) => `${place}: ${what}`),
    );
    expect(places).toEqual([]);
    expect(cloud.asked.length).toBeGreaterThan(3);
  });
});
