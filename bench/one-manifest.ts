/** From the PUT of a one-cluster manifest to Done with tools that take no time, and how many states that takes. */
import { cliClient } from '#cli/connection/api-client.ts';
import { startPlatform } from '#local/platform.ts';
import { benchManifest, untilDone } from './manifests.ts';
import { median } from './numbers.ts';

const repeats = 7;

export async function measureOne() {
  const platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
  try {
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    const times: number[] = [];
    let transitions = 0;
    for (let index = 0; index < repeats; index += 1) {
      const name = `one-${index}`;
      const before = countTransitions(platform);
      const started = performance.now();
      await api.putManifest({ namespace: 'default', name }, benchManifest(name, 'sim'));
      await untilDone(api, name, 5);
      times.push(performance.now() - started);
      transitions = countTransitions(platform) - before;
    }
    return {
      what: 'PUT of a one-cluster manifest to Done, zero-time tools (the first run loads code)',
      aim: { ms: 1000, transitions: 45 },
      firstMs: Math.round(times[0] ?? 0),
      medianMs: Math.round(median(times)),
      maxMs: Math.round(Math.max(...times)),
      transitions,
    };
  } finally {
    await platform.stop();
  }
}

function countTransitions(platform: Awaited<ReturnType<typeof startPlatform>>): number {
  return platform.executionStore.list({ limit: 100_000 }).reduce((sum, execution) => sum + execution.transitions, 0);
}
