/** `kubeloom doctor` names the KubeOne that a run on local hosts would use. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { examineKubeOne } from '#cli/doctor/examine-kubeone.ts';
import { builtKubeone, partsDirectory, partsKey } from '#local/kubernetes/available.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-doctor-'));
  vi.stubEnv('KUBELOOM_CACHE_DIR', directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

/** A program that answers with this. */
function program(path: string, answer: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(path, 0o755);
  return path;
}

function built(): void {
  program(builtKubeone('1.14.1'), '');
  mkdirSync(join(partsDirectory(), 'complete'));
  writeFileSync(join(partsDirectory(), 'complete', partsKey()), '');
}

test('a machine without parts of Kubernetes has simulated control planes, and the command that changes it is named', async () => {
  expect(await examineKubeOne({})).toMatchObject({ ok: false, found: expect.stringContaining('simulated') });
});

test('the releases that were built are named', async () => {
  built();
  expect(await examineKubeOne({ PATH: '/usr/bin' })).toMatchObject({
    ok: true,
    found: `1.14.1 built in ${partsDirectory()}`,
  });
});

test('a KubeOne on the PATH or in KUBELOOM_KUBEONE comes first', async () => {
  built();
  const one = program(join(directory, 'bin', 'kubeone-1.13'), '{"kubeone":{"gitVersion":"1.13.9"}}');
  const other = program(join(directory, 'own', 'kubeone'), '{"kubeone":{"gitVersion":"1.14.9"}}');
  const PATH = `/nowhere:${dirname(one)}`;
  expect((await examineKubeOne({ PATH })).found).toBe(`1.13.9 at ${one}`);
  expect((await examineKubeOne({ PATH, KUBELOOM_KUBEONE: other })).found).toBe(`1.14.9 at ${other}`);
});

test('a program of that name that is not KubeOne is reported', async () => {
  built();
  const other = program(join(directory, 'own', 'kubeone'), 'hello');
  expect(await examineKubeOne({ KUBELOOM_KUBEONE: other })).toMatchObject({
    ok: false,
    found: `${other}: it says no version of KubeOne`,
  });
});
