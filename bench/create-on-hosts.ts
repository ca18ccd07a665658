/** The demo's create on real hosts: wall time over the sum of the tools' own times on the critical path. Needs root. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { parse } from 'yaml';
import { cliClient } from '#cli/connection/api-client.ts';
import { StageResult } from '#contracts/stage.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { removeAllHosts } from '#local/hosts-helper.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { untilDone } from './manifests.ts';

const example = fileURLToPath(new URL('../examples/local-two-providers.yaml', import.meta.url));

export async function measureHosts() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-bench-'));
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'real' });
  try {
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    const manifest = parse(await readFile(example, 'utf8')) as { metadata: { name: string } };
    const started = performance.now();
    await api.putManifest({ namespace: 'default', name: manifest.metadata.name }, manifest);
    // Each question costs the platform CPU time that its builds lack.
    await platform.executions.idle();
    await untilDone(api, manifest.metadata.name, 20);
    const wallMs = performance.now() - started;
    const [putAt, doneAt] = [Date.now() - wallMs, Date.now()];
    const s3 = new S3Client({});
    const keys = platform.objects('runs/').filter((key) => key.endsWith('/result.json'));
    const results = await Promise.all(
      keys.map(async (key) => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: process.env.KUBELOOM_BUCKET, Key: key }));
        return StageResult.parse(JSON.parse((await Body?.transformToString()) ?? ''));
      }),
    );
    const toolMs = results.reduce((sum, result) => sum + result.toolMs, 0);
    return {
      what: "the demo's create on real hosts",
      aim: { ratio: 1.08 },
      wallSeconds: Math.round(wallMs / 100) / 10,
      toolSeconds: Math.round(toolMs / 100) / 10,
      ratio: Math.round((wallMs / toolMs) * 1000) / 1000,
      ...spansOf(results, buildsOf(platform), { putAt, doneAt }),
      load: loadavg().map((load) => Math.round(load * 10) / 10),
    };
  } finally {
    await platform.stop();
    await removeAllHosts(join(dataDir, 'hosts'));
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface BuildTimes {
  readonly queuedAt: number;
  readonly endedAt: number;
}

/** All that have ended, oldest first. */
function buildsOf({ builds }: Platform): readonly BuildTimes[] {
  return runnerTools
    .flatMap((tool) => builds.newest(`kubeloom-${tool}`))
    .map((id) => builds.get(id))
    .flatMap((build) => (build?.endedAt == null ? [] : [{ queuedAt: build.queuedAt, endedAt: build.endedAt }]))
    .toSorted((a, b) => a.queuedAt - b.queuedAt);
}

/**
 * In ms. Of each stage: the tools' own time; the runner from its first line to its last; from the request of its build to its first line;
 * from its last line to the end of its build. Outside of them: before the first build, between two, after the last.
 */
function spansOf(results: readonly StageResult[], builds: readonly BuildTimes[], { putAt, doneAt }: PutAndDone) {
  const between = builds.slice(1).map(({ queuedAt }, index) => queuedAt - (builds[index]?.endedAt ?? queuedAt));
  const stages = results.map(({ stage, startedAt, endedAt, toolMs }) => {
    const [first, last] = [Date.parse(startedAt), Date.parse(endedAt)];
    const build = builds.find((one) => one.queuedAt <= first && last <= one.endedAt);
    const edges = build && { begins: first - build.queuedAt, ends: build.endedAt - last };
    return [stage, { tools: Math.round(toolMs), runner: last - first, ...edges }] as const;
  });
  return {
    stages: Object.fromEntries(stages),
    before: Math.round((builds[0]?.queuedAt ?? doneAt) - putAt),
    between,
    after: doneAt - (builds.at(-1)?.endedAt ?? doneAt),
  };
}

interface PutAndDone {
  readonly putAt: number;
  readonly doneAt: number;
}
