/** The bundled runner: one file that works without others, made once for the same sources. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAgent, bundleRunner } from '../../runner-images/bundle-runner.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runner-bundle-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('the bundle is built once, and bundles of other sources are deleted', async () => {
  await writeFile(join(directory, 'runner-0000000000000000.mjs'), '');
  const file = await bundleRunner(directory);
  const { mtimeMs } = await stat(file);
  expect(await bundleRunner(directory)).toBe(file);
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  expect(await readdir(directory)).toEqual([file.slice(directory.length + 1)]);
});

it('the bundle runs, and names every variable that is missing', async () => {
  const file = await bundleRunner(directory);
  const run = promisify(execFile)(process.execPath, [file], { cwd: directory, env: {} });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/KUBELOOM_JOB/) });
});

it('the agent fits into a ConfigMap, and names the variables that are missing', async () => {
  const file = join(directory, 'agent.mjs');
  await buildAgent(file);
  // 1 MiB, with all else that is in it.
  expect((await stat(file)).size).toBeLessThan(900_000);
  const run = promisify(execFile)(process.execPath, [file], { cwd: directory, env: {} });
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/KUBELOOM_API_URL/) });
});
