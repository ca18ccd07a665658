/** 100 manifests at once on a platform of its own process: wall time until all are Done, and the platform's memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiClient } from '#cli/api-client.ts';
import { down, up } from '#local/supervisor.ts';
import { benchManifest, untilDone } from './manifests.ts';
import { round } from './numbers.ts';
import { residentBytes } from './platform-process.ts';

const count = 100;

export async function measureMany() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-bench-'));
  try {
    const platform = await up({ dataDir, apiPort: 0, runner: 'sim' });
    const api = apiClient({ apiUrl: platform.apiUrl, token: platform.token });
    let peak = 0;
    const watch = setInterval(() => {
      void residentBytes(platform.pid).then((bytes) => {
        peak = Math.max(peak, bytes);
      });
    }, 250);
    const started = performance.now();
    const names = Array.from({ length: count }, (_, index) => `many-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => api.putManifest({ namespace: 'default', name }, benchManifest(name, 'sim'))));
    const accepted = performance.now();
    for (const name of names) await untilDone(api, name, 100);
    const ended = performance.now();
    clearInterval(watch);
    return {
      what: `${count} manifests at once, zero-time tools, everything on disk`,
      aim: { seconds: 20, megabytes: 400 },
      acceptedSeconds: round((accepted - started) / 1000),
      seconds: round((ended - started) / 1000),
      platformMegabytes: Math.round(peak / 1e6),
    };
  } finally {
    await down(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}
