/** The runner as a process, with the local S3: it writes its result also when it is asked to stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import { StageResult, waypointKeys } from '#contracts/stage.ts';
import type { StagePlan } from '#domain/plan.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { aDocument } from './stage-world.ts';

const prefix = 'runs/team/shop/run-1/shop-1234567/w00';
const main = fileURLToPath(new URL('../../runner-images/runner/main.ts', import.meta.url));
const nodes: StagePlan = {
  stage: 'nodes',
  reasons: [],
  work: { patch: ['basement-01'], remove: [], maxUnavailable: 1 },
};

let directory: string;
let server: LoopbackServer;
let client: S3Client;
let artifacts: S3Artifacts;
let started: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runner-main-'));
  const s3 = await openS3({
    directory: join(directory, 's3'),
    buckets: ['kubeloom'],
    flush: false,
    logger: silentLogger,
  });
  server = await listenOnLoopback(s3.listener);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new S3Client({ endpoint: server.url, region: 'eu-central-1', credentials, forcePathStyle: true });
  artifacts = new S3Artifacts(client, 'kubeloom');
  await artifacts.putText(waypointKeys.document(prefix), JSON.stringify(aDocument([nodes])));
  await artifacts.putText('kubeconfigs/team/shop/shop-1234567', kubeconfigTo());
});
afterEach(async () => {
  started?.kill('SIGKILL');
  client.destroy();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(
  kubectl: string,
  stage = 'nodes',
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const program = join(directory, 'kubectl');
  await writeFile(program, `#!/bin/bash\n${kubectl}\n`);
  await chmod(program, 0o755);
  started = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      KUBELOOM_TABLE: 'kubeloom',
      KUBELOOM_BUCKET: 'kubeloom',
      KUBELOOM_PROVIDER_TYPES: 'local',
      KUBELOOM_RUNNER_PROJECTS: '{}',
      KUBELOOM_JOB: `${prefix}/${stage}/do/1`,
      KUBELOOM_KUBECTL: program,
      KUBELOOM_WORK_DIRECTORY: directory,
      ...environment,
    },
  });
  return started;
}

async function result(stage: 'nodes' | 'traffic' = 'nodes') {
  const key = waypointKeys.result(waypointKeys.attempt(prefix, stage, 'do', 1));
  return StageResult.parse(JSON.parse((await artifacts.getText(key)) ?? 'null'));
}

async function seen(child: ChildProcess, words: string): Promise<void> {
  for await (const chunk of child.stdout ?? []) if (String(chunk).includes(words)) return;
  throw new Error(`the runner ended without saying "${words}"`);
}

describe('the runner', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'the runner interrupts its tool and writes its result on %s',
    async (signal) => {
      const child = await start('trap "exit 1" INT; echo at work >&2; while :; do sleep 0.05; done');
      const exit = once(child, 'exit');
      await seen(child, 'at work');
      child.kill(signal);
      expect((await exit)[0]).toBe(1);
      expect((await result()).error).toMatchObject({ class: 'transient', code: 'StageCancelled' });
      expect((await readdir(directory)).filter((name) => name.startsWith('kubeloom-stage-'))).toEqual([]);
    },
  );

  it('the runner writes a result for a stage that it does not know, and exits with 1', async () => {
    const child = await start('exit 0', 'traffic');
    child.stdout?.resume();
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect((await result('traffic')).error).toMatchObject({ class: 'bug', code: 'NoWork' });
  });

  it('a runner whose environment is wrong says which variable, and exits with 1', async () => {
    const child = await start('exit 0', 'nodes', { KUBELOOM_STAGE_MINUTES: 'soon' });
    const exit = once(child, 'exit');
    const said = child.stderr === null ? '' : await text(child.stderr);
    expect((await exit)[0]).toBe(1);
    expect(said).toBe(
      'The runner does not start: KUBELOOM_STAGE_MINUTES: it is "soon" and has to be a number of minutes. Correct its environment.\n',
    );
  });
});
