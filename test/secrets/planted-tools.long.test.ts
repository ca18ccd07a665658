/**
 * The real runner with tools that print whatever they were given: a run that succeeds, one that fails, one whose runner is
 * killed. Then everything that is kept is searched for the values of Secrets, of a Vault and of the kubeconfig.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base64Pieces, formsOfText } from '#domain/observed/secret-forms.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { kubeloom } from '#test/cli/kubeloom.ts';
import { adminKey, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type FakeVault, startFakeVault } from '#test/vault/fake-vault.ts';
import { leakyTools } from './leaky-tools.ts';

const mark = (): string => randomBytes(32).toString('hex');
const visible = mark();
const [stored, inVault] = [mark(), mark()];
const machineKey = makeSshKeyPair('planted').privateKey;

let world: string;
let platform: Platform;
/** Runs from the last to the first, also after a partial start. */
const cleanUp: (() => unknown)[] = [];
let vault: FakeVault;
let sshd: Server;
const before = new Map<string, string | undefined>();
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

const manifestPath = '/v1/manifests/default/planted';

async function ended(): Promise<string> {
  for (;;) {
    const { status } = JSON.parse((await api('GET', manifestPath)).text) as { status: string };
    if (['Done', 'Failed'].includes(status)) return status;
    await pause(300);
  }
}

/** This machine as others reach it: a loopback address is no address of a node. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.find(
    ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
  );
  if (own === undefined) throw new Error('this machine has no address in a network');
  return own.address;
}

/** A cluster on one machine of its own, with an additional pool of `provider`. */
function manifest(provider?: 'stored' | 'vault') {
  const secretRef = {
    stored: { name: 'hetzner', namespace: 'default' },
    vault: { vault: { path: 'clouds/hetzner', mount: 'one' } },
  };
  const pool = {
    name: 'cloud',
    providerSpec: { name: 'cloud', region: 'fsn1' },
    count: 1,
    serverType: 's',
    image: 'i',
  };
  const port = (sshd.address() as { port: number }).port;
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'planted' },
    spec: {
      providers:
        provider === undefined ? [] : [{ name: 'cloud', providerType: 'hetzner', secretRef: secretRef[provider] }],
      nodePools: {
        dynamic: provider === undefined ? [] : [pool],
        static: [
          {
            name: 'own',
            sshPort: port,
            labels: { visible: visible.slice(0, 60) },
            nodes: [{ endpoint: ownAddress(), secretRef: { name: 'machines', namespace: 'default' } }],
          },
        ],
      },
      kubernetes: {
        clusters: [
          {
            name: 'planted',
            version: '1.36.0',
            network: '192.168.3.0/24',
            pools: { control: ['own'], compute: provider === undefined ? [] : ['cloud'] },
          },
        ],
      },
    },
  };
}

const secret = (name: string, stringData: Readonly<Record<string, string>>) =>
  api('PUT', `/v1/secrets/default/${name}`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  });

beforeAll(async () => {
  world = await mkdtemp(join(tmpdir(), 'kubeloom-leaky-'));
  await Promise.all([mkdir(join(world, 'data')), mkdir(join(world, 'work'))]);
  await writeFile(join(world, 'admin.conf'), kubeconfigTo('https://127.0.0.1:6443'));
  sshd = createServer((socket) => socket.end('SSH-2.0-stranger\r\n')).listen(0, ownAddress());
  cleanUp.push(() => sshd.close());
  vault = await startFakeVault();
  cleanUp.push(() => vault.close());
  await vault.write('one', 'clouds/hetzner', { credentials: inVault });
  const variables = {
    ...(await leakyTools(world)),
    KUBELOOM_WORK_DIRECTORY: join(world, 'work'),
    KUBELOOM_LOG: 'none',
    KUBELOOM_STAGE_RETRY_SECONDS: '0',
    KUBELOOM_MAX_STAGE_ATTEMPTS: '1',
  };
  for (const [name, value] of Object.entries(variables)) {
    before.set(name, process.env[name]);
    process.env[name] = value;
  }
  platform = await startPlatform({ dataDir: join(world, 'data'), runner: 'real', apiPort: 0, graceMs: 100 });
  cleanUp.push(() => platform.stop());
  const { roleId, secretId } = await vault.appRole();
  for (const done of [
    await secret('hetzner', { credentials: stored }),
    await secret('machines', { privatekey: machineKey.trim() }),
    await secret('vault', { address: vault.address, roleid: roleId, secretid: secretId }),
  ])
    expect(done.status).toBeLessThan(300);
});

afterAll(async () => {
  for (const step of cleanUp.toReversed()) await step();
  await rm(world, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

const calls = () => readFile(join(world, 'calls'), 'utf8');

describe('values that tools print', () => {
  it('the planted values are printed by every tool of a run that succeeds', async () => {
    expect((await api('PUT', manifestPath, manifest())).status).toBe(202);
    const status = await ended();
    if (status !== 'Done') throw new Error((await api('GET', manifestPath)).text.slice(0, 3000));
    for (const tool of ['ansible-playbook', 'kubeone apply', 'kubectl']) expect(await calls()).toContain(tool);
  });

  it('the planted values are printed by a tool that fails, in its output and in its error', async () => {
    for (const provider of ['stored', 'vault'] as const) {
      expect((await api('PUT', manifestPath, manifest(provider))).status).toBe(202);
      expect(await ended()).toBe('Failed');
      const { text } = await api('GET', manifestPath);
      expect(text).toContain('token *** refused');
    }
    expect((await api('PUT', manifestPath, manifest())).status).toBe(202);
    expect(await ended()).toBe('Done');
    expect(vault.asked).toContain('one/clouds/hetzner');
  });

  it('the planted values are printed by a Terraform that says more', async () => {
    expect((await api('PUT', manifestPath, manifest('stored'))).status).toBe(202);
    expect(await ended()).toBe('Failed');
    expect((await api('POST', `${manifestPath}/retry`, { debug: true, from: 'infrastructure' })).status).toBe(202);
    expect(await ended()).toBe('Failed');
    expect((await api('PUT', manifestPath, manifest())).status).toBe(202);
    expect(await ended()).toBe('Done');
  });

  it('the planted values are printed by a tool whose runner is killed', async () => {
    await writeFile(join(world, 'hang'), '');
    expect((await api('PUT', manifestPath, manifest('vault'))).status).toBe(202);
    while (!existsSync(join(world, 'runner'))) await pause(20);
    process.kill(Number(await readFile(join(world, 'runner'), 'utf8')), 'SIGKILL');
    await rm(join(world, 'hang'));
    expect(await ended()).toBe('Failed');
    expect((await api('PUT', manifestPath, manifest())).status).toBe(202);
    expect(await ended()).toBe('Done');
  });

  it('the planted values are in nothing that is kept', async () => {
    const runs = JSON.parse((await api('GET', `${manifestPath}/runs`)).text) as { items: readonly { runId: string }[] };
    for (const { runId } of runs.items) {
      const logs = await api('GET', `${manifestPath}/runs/${runId}/logs`);
      for (const { path } of (JSON.parse(logs.text) as { items: readonly { path: string }[] }).items)
        await api('GET', path);
    }
    await api('GET', `${manifestPath}/events?limit=200`);
    await api('GET', '/v1/secrets?namespace=default');
    const texts = new Map([['what the API reported', reported.join('\n')]]);
    for (const entry of await readdir(world, { recursive: true, withFileTypes: true })) {
      const path = relative(world, join(entry.parentPath, entry.name));
      if (entry.isFile() && !/^(admin.conf|bin\/)/.test(path))
        texts.set(path, await readFile(join(world, path), 'latin1'));
    }
    expect([...texts.values()].filter((text) => text.includes(visible.slice(0, 60))).length).toBeGreaterThan(2);
    expect([...texts.values()].filter((text) => text.includes('TF_VAR_secret_credentials=***')).length).toBeGreaterThan(
      2,
    );
    expect([...texts.keys()].filter((path) => path.startsWith('work/'))).toEqual([]);
    expect(placesOf(texts)).toEqual([]);
  });

  it('the planted values are in no bundle of a run, in no form', async () => {
    const connection = { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token };
    const listed = await kubeloom(['runs', 'planted', '--json'], { environment: connection });
    const runs = (JSON.parse(listed.stdout) as { runId: string }[]).map(({ runId }) => runId);
    expect(runs.length).toBeGreaterThan(5);
    await mkdir(join(world, 'bundles'));
    for (const run of runs) {
      const file = join(world, 'bundles', `${run}.tar.gz`);
      expect((await kubeloom(['bundle', run, '-o', file], { environment: connection })).code).toBe(0);
      const text = gunzipSync(await readFile(file)).toString('latin1');
      expect(text).toContain('README.txt');
      const planted = { stored, inVault, adminKey, token: platform.token, keyLine: machineKey.split('\n')[2] ?? '' };
      const found = Object.entries(planted).flatMap(([what, value]) =>
        [...formsOfText(value), ...base64Pieces(value)].some((form) => text.includes(form)) ? [`${run}: ${what}`] : [],
      );
      expect(found).toEqual([]);
    }
    const archives = await Promise.all(runs.map((run) => readFile(join(world, 'bundles', `${run}.tar.gz`))));
    expect(archives.filter((archive) => gunzipSync(archive).includes('log: Terraform says more')).length).toBe(1);
  });
});

/** Where a value is found; the kubeconfig of a cluster is kept as a whole, for its owner, and nowhere else. */
function placesOf(texts: ReadonlyMap<string, string>): string[] {
  const keyLine = machineKey.split('\n')[2] ?? '';
  const values = { stored, inVault, kubeconfigKey: adminKey, keyLine };
  const needles = Object.entries(values).flatMap(([what, value]) =>
    [value, Buffer.from(value).toString('base64').slice(0, -4)].map((needle) => ({ what, needle })),
  );
  return [...texts].flatMap(([place, text]) =>
    needles
      .filter(({ what, needle }) => text.includes(needle) && !(what === 'kubeconfigKey' && /kubeconfigs/.test(place)))
      .map(({ what }) => `${place}: ${what}`),
  );
}
