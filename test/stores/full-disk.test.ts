/** A platform on a disk that gets full, and has space again; and one of which a store was taken away. */
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBuildStore } from 'aws-on-loopback/codebuild/build-store.ts';
import { openExecutionStore } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPlatform } from '#local/platform.ts';
import { storeWords } from '#local/store-words.ts';
import { temporaryDirectory } from '#test/local/clients.ts';
import { benchManifest } from '../../bench/manifests.ts';

const isRoot = process.getuid?.() === 0;

async function start(dataDir: string) {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'sim', tickSeconds: 3600 });
  onTestFinished(async () => {
    await platform.stop();
    vi.unstubAllEnvs();
  });
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${platform.apiUrl}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const put = (name: string) => call('PUT', `manifests/default/${name}`, benchManifest(name, 'sim'));
  return { platform, call, put };
}

it.runIf(isRoot)('a full disk stops writes, not reads, and needs no restart once there is space', async () => {
  const directory = await temporaryDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'tmpfs', directory]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', directory]));
  const { call, put } = await start(directory);
  expect((await put('before')).status).toBe(202);
  const ballast = join(directory, 'ballast');
  execFileSync('sh', ['-c', `head -c 52M /dev/zero > ${ballast} || true`]);
  const refused = await put('during');
  expect([refused.status, await refused.json()]).toMatchObject([
    507,
    { detail: expect.stringMatching(/the disk is full: .* free space/) },
  ]);
  const health = await call('GET', 'health');
  expect([health.status, await health.json()]).toMatchObject([
    507,
    { detail: expect.stringContaining('the disk is full') },
  ]);
  const list = await call('GET', 'manifests');
  expect([list.status, await list.json()]).toMatchObject([200, { items: [{ name: 'before' }] }]);
  await rm(ballast);
  expect((await call('GET', 'health')).status).toBe(200);
  expect((await put('after')).status).toBe(202);
});

it('a platform whose objects are lost does not start, and reports the loss', async () => {
  const directory = await temporaryDirectory();
  const { platform, put } = await start(directory);
  expect((await put('before')).status).toBe(202);
  await platform.stop();
  await rm(join(directory, 's3'), { recursive: true });
  await expect(start(directory)).rejects.toThrow(/is not whole: s3\/kubeloom\/objects .* is gone; restore a backup/);
});

it.each([
  ['executions', openExecutionStore],
  ['builds', openBuildStore],
] as const)('a damaged database of the %s is reported', async (name, open) => {
  const path = join(await temporaryDirectory(), `${name}.sqlite`);
  await writeFile(path, 'garbage '.repeat(2000));
  expect(() => open(path, storeWords)).toThrow(
    `${path} (the ${name}) is damaged: file is not a database; restore a backup`,
  );
});
