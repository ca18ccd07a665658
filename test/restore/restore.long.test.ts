/** A platform is backed up, lost and restored: its clusters are as they were, and it continues with them. */

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { wire } from '#functions/wire.ts';
import { backUp, restore } from '#local/backup/backup.ts';
import { sealInto, unsealFrom } from '#local/backup/sealed-file.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { inOneThread } from '#test/local/one-thread.ts';
import { benchManifest } from '../../bench/manifests.ts';
import { kubeloomProcess as kubeloom } from '../cli/kubeloom-process.ts';
import { terraformOn, terraformPresent } from './terraform-workspace.ts';

const passphrase = 'correct horse battery';
const secretValue = 'value-that-must-not-be-seen';
const key = { namespace: 'default', name: 'shop' };
const stages = { KUBELOOM_LOG: 'none', KUBELOOM_STAGE_RETRY_SECONDS: '0', KUBELOOM_BACK_OFF_SECONDS: '0' };

let place: string;
let dataDir: string;
let file: string;
let platform: Platform | undefined;

beforeAll(() => {
  for (const [name, value] of Object.entries(stages)) vi.stubEnv(name, value);
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'kubeloom-restore-'));
  dataDir = join(place, 'home');
  file = join(place, 'backup');
});
afterEach(async () => {
  await platform?.stop();
  platform = undefined;
  rmSync(place, { recursive: true, force: true });
});

async function up(): Promise<CliClient> {
  platform = await startPlatform({ dataDir, runner: 'sim', apiPort: 0, product: inOneThread() });
  return cliClient({ apiUrl: platform.apiUrl, token: platform.token });
}

async function down(): Promise<void> {
  await platform?.stop();
  platform = undefined;
}

async function end(api: CliClient, name = key.name): Promise<string> {
  await platform?.executions.idle();
  return vi.waitFor(
    async () => {
      const found = await api.getManifest({ ...key, name }).catch(() => ({ status: 'gone' }));
      expect(found.status).not.toMatch(/^(Pending|Running|Deleting)$/);
      return found.status;
    },
    { timeout: 100_000, interval: 20 },
  );
}

function manifest(computeNodes = 1): unknown {
  const text = JSON.stringify(benchManifest('shop', 'sim'));
  const made = JSON.parse(text) as { spec: { nodePools: { dynamic: { name: string; count: number }[] } } };
  for (const pool of made.spec.nodePools.dynamic) if (pool.name === 'compute-2') pool.count = computeNodes;
  return made;
}

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cloud', namespace: 'default' },
  stringData: { credentials: secretValue },
};

describe('a platform that was lost and restored', () => {
  it('a restored platform has its clusters, secrets and files, plans no change, and works', async () => {
    const api = await up();
    await api.putSecret({ namespace: 'default', name: 'cloud' }, secret);
    await api.putManifest(key, manifest());
    expect(await end(api)).toBe('Done');
    const before = {
      manifest: await api.getManifest(key),
      config: await api.getKubeconfig({ ...key, cluster: 'bench' }),
    };
    const objects = platform?.objects('');
    const { token } = platform ?? {};
    await down();

    await backUp({ dataDir, file, passphrase });
    rmSync(dataDir, { recursive: true });
    await restore({ dataDir, file, passphrase });

    const again = await up();
    expect(platform?.token).toBe(token);
    expect(platform?.objects('')).toEqual(objects);
    expect(await again.getManifest(key)).toEqual(before.manifest);
    expect(await again.getKubeconfig({ ...key, cluster: 'bench' })).toBe(before.config);
    expect(await wire().secrets.get('user/default/cloud')).toEqual({ credentials: secretValue });
    const { hasWork, clusters: planned } = await again.planManifest(key, { document: manifest() });
    expect(planned.flatMap(({ waypoints }) => waypoints)).toEqual([]);
    expect(hasWork).toBe(false);
    await again.putManifest(key, manifest(2));
    expect(await end(again)).toBe('Done');
    const { clusters } = await again.getManifest(key);
    expect(JSON.stringify(clusters)).toMatch(/compute-2-[a-z0-9]+-02/);
    await again.deleteManifest(key);
    expect(await end(again)).toBe('gone');
  });

  it('a restored platform continues the run that was in progress', async () => {
    vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '300');
    const api = await up();
    await api.putManifest(key, manifest());
    await vi.waitFor(async () => expect((await api.getManifest(key)).status).toBe('Running'), {
      timeout: 100_000,
      interval: 10,
    });
    await down();
    await backUp({ dataDir, file, passphrase });
    rmSync(dataDir, { recursive: true });
    await restore({ dataDir, file, passphrase });
    vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '0');
    expect(await end(await up())).toBe('Done');
  });

  // On CI a missing tool is a failure, not a skip.
  it.skipIf(!terraformPresent() && process.env.CI !== 'true')(
    'a restored platform has the Terraform state again',
    async () => {
      await up();
      const terraform = await terraformOn(platform?.endpoints.s3 ?? '', platform?.token ?? '', join(place, 'root'));
      expect(await terraform.apply()).toContain('1 added');
      await down();
      await backUp({ dataDir, file, passphrase });
      rmSync(dataDir, { recursive: true });
      await restore({ dataDir, file, passphrase });
      await up();
      expect(await terraform.changes(platform?.endpoints.s3 ?? '')).toBe(false);
    },
  );
});

describe('a backup', () => {
  /** The data directory of a platform that has a secret and was stopped. */
  let stopped: string;
  beforeAll(async () => {
    stopped = mkdtempSync(join(tmpdir(), 'kubeloom-restore-'));
    dataDir = stopped;
    const api = await up();
    await api.putSecret({ namespace: 'default', name: 'cloud' }, secret);
    await down();
  });
  afterAll(() => rmSync(stopped, { recursive: true, force: true }));
  beforeEach(() => cpSync(stopped, dataDir, { recursive: true }));

  it('a backup shows neither names nor values, and only its owner can read it', async () => {
    await backUp({ dataDir, file, passphrase });
    const bytes = readFileSync(file);
    const token = readFileSync(join(dataDir, 'token'), 'utf8').trim();
    for (const text of [secretValue, token, 'executions.sqlite', 'dynamodb']) expect(bytes.includes(text)).toBe(false);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('a backup opens only unchanged and with its passphrase, else nothing is restored', async () => {
    await backUp({ dataDir, file, passphrase });
    rmSync(dataDir, { recursive: true });
    await expect(restore({ dataDir, file, passphrase: 'another passphrase' })).rejects.toThrow(/cannot be opened/);
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(`${file}-changed`, bytes);
    await expect(restore({ dataDir, file: `${file}-changed`, passphrase })).rejects.toThrow(/it was changed/);
    writeFileSync(`${file}-short`, bytes.subarray(0, 20));
    await expect(restore({ dataDir, file: `${file}-short`, passphrase })).rejects.toThrow(/not a backup of Kubeloom/);
    expect(existsSync(dataDir)).toBe(false);
    expect(readdirSync(place).sort()).toEqual(['backup', 'backup-changed', 'backup-short']);
  });

  it('a wrong passphrase is reported even if unpacking stops at the first invalid byte', async () => {
    await sealInto(file, passphrase, () => Readable.from([Buffer.alloc(1_000_000)]));
    const unpacker = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    await expect(unsealFrom(file, 'another passphrase', unpacker)).rejects.toThrow(
      /cannot be opened with this passphrase/,
    );
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no room')) });
    await expect(unsealFrom(file, passphrase, full)).rejects.toThrow('no room');
  });

  it('a backup is refused while the platform runs, and never replaces another', async () => {
    await up();
    await expect(backUp({ dataDir, file, passphrase })).rejects.toThrow(/stop it with `kubeloom local down`/);
    expect(existsSync(file)).toBe(false);
    await down();
    writeFileSync(file, 'an older one');
    await expect(backUp({ dataDir, file, passphrase })).rejects.toThrow(/exists already/);
    expect(readFileSync(file, 'utf8')).toBe('an older one');
  });

  it('a backup that cannot be written or read is a sentence, and none contains another', async () => {
    const at = (path: string) => ({ dataDir, file: path, passphrase });
    await expect(backUp(at(join(place, 'nowhere', 'backup')))).rejects.toThrow(
      'nowhere/backup cannot be written: there is no directory',
    );
    await expect(backUp(at(join(dataDir, 'backup')))).rejects.toThrow('is inside');
    expect(existsSync(join(dataDir, 'backup'))).toBe(false);
    await expect(restore(at(join(place, 'nothing')))).rejects.toThrow('nothing does not exist; name a file that');
    await expect(restore({ ...at(place), dataDir: join(place, 'other') })).rejects.toThrow(
      'is not a backup of Kubeloom',
    );
  });

  it('a backup is not restored over a platform', async () => {
    await backUp({ dataDir, file, passphrase });
    await expect(restore({ dataDir, file, passphrase })).rejects.toThrow(/has a platform in it/);
  });

  it('a backup is made and restored by the command line, with a passphrase long enough', async () => {
    const environment = { KUBELOOM_HOME: dataDir, KUBELOOM_BACKUP_PASSPHRASE: 'short' };
    const refused = await kubeloom(['local', 'backup', file], { environment });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('shorter than 12 characters')]);
    writeFileSync(join(place, 'passphrase'), `${passphrase}\n`);
    const given = ['--passphrase-file', join(place, 'passphrase')];
    expect(await kubeloom(['local', 'backup', file, ...given], { environment })).toMatchObject({ code: 0 });
    rmSync(dataDir, { recursive: true });
    const restored = await kubeloom(['local', 'restore', file, ...given], { environment });
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('kubeloom local up')]);
    await up();
    expect(await wire().secrets.get('user/default/cloud')).toEqual({ credentials: secretValue });
  });
});
