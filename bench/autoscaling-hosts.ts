/**
 * How long from a pod that fits nowhere to a Ready host: the real cluster-autoscaler (scan 10 s) in a real cluster that Kubeloom made on local
 * hosts. The figures come from the test of the same path, which has to succeed.
 * usage: KUBELOOM_CLUSTER_AUTOSCALER=PROGRAM node bench/autoscaling-hosts.ts   as root; prints JSON, in seconds
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

if (process.env.KUBELOOM_CLUSTER_AUTOSCALER === undefined)
  throw new Error('KUBELOOM_CLUSTER_AUTOSCALER must name the program');
const root = fileURLToPath(new URL('..', import.meta.url));
const test = 'test/real-kubernetes/autoscaling.test.ts';
const directory = await mkdtemp(join(tmpdir(), 'kubeloom-bench-'));
const file = join(directory, 'figures.json');
try {
  const vitest = join(root, 'node_modules/.bin/vitest');
  await promisify(execFile)(vitest, ['run', '--project', 'kubernetes', test], {
    cwd: root,
    env: { ...process.env, KUBELOOM_FIGURES: file },
    maxBuffer: 64 * 1024 * 1024,
  });
  const { load, ...seconds } = JSON.parse(await readFile(file, 'utf8'));
  const aim = { pendingPodToRequest: 15 };
  process.stdout.write(
    `${JSON.stringify({ what: 'from a pending pod to Ready hosts', aim, seconds, load }, null, 2)}\n`,
  );
} finally {
  await rm(directory, { recursive: true, force: true });
}
