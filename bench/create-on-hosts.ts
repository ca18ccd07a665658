/** The demo's create on real hosts: wall time over the sum of the tools' own times on the critical path. Needs root. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { parse } from 'yaml';
import { apiClient } from '#cli/api-client.ts';
import { StageResult } from '#contracts/stage.ts';
import { removeAllHosts } from '#local/hosts-helper.ts';
import { startPlatform } from '#local/platform.ts';
import { untilDone } from './manifests.ts';

const example = fileURLToPath(new URL('../examples/local-two-providers.yaml', import.meta.url));

export async function measureHosts() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-bench-'));
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'real' });
  try {
    const api = apiClient({ apiUrl: platform.apiUrl, token: platform.token });
    const manifest = parse(await readFile(example, 'utf8')) as { metadata: { name: string } };
    const started = performance.now();
    await api.putManifest({ namespace: 'default', name: manifest.metadata.name }, manifest);
    // Each question costs the platform CPU time that its builds lack.
    await untilDone(api, manifest.metadata.name, 200);
    const wallMs = performance.now() - started;
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
      aim: { ratio: 1.15 },
      wallSeconds: Math.round(wallMs / 100) / 10,
      toolSeconds: Math.round(toolMs / 100) / 10,
      ratio: Math.round((wallMs / toolMs) * 1000) / 1000,
      stages: Object.fromEntries(results.map((result) => [result.stage, timesOf(result)])),
      load: loadavg().map((load) => Math.round(load * 10) / 10),
    };
  } finally {
    await platform.stop();
    await removeAllHosts(join(dataDir, 'hosts'));
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** In ms: the tools' own time, and of the runner from its first line to its last. */
function timesOf({ startedAt, endedAt, toolMs }: StageResult): { readonly tools: number; readonly runner: number } {
  return { tools: Math.round(toolMs), runner: Date.parse(endedAt) - Date.parse(startedAt) };
}
