/**
 * The plan of one changed line of the environment of all, over the API of a platform of its own process, with everything on disk: 50, 100 and
 * 200 clusters that exist (simulated), each judged as if it were submitted. `node bench/run.ts inventoryRoute`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { CliClient } from '#cli/connection/api-client.ts';
import { inventoryName } from '#domain/inventory/inventory-documents.ts';
import { benchInventory, withVersion } from './inventory.ts';
import { growthExponent, round, setting } from './numbers.ts';
import { cpuSeconds, onPlatform } from './platform-process.ts';

const repeats = setting('BENCH_REPEATS', 3);
const sizes = [50, 100, 200] as const;
const namespace = 'default';

export const measureInventoryRoute = () =>
  onPlatform(async ({ platform, api }) => {
    const { layers, templates, clusters } = benchInventory(1);
    for (const { document } of [...layers, ...templates]) await store(api, document);
    const cells: Awaited<ReturnType<typeof measure>>[] = [];
    let stored = 0;
    for (const size of sizes) {
      for (const { document } of clusters.slice(stored, size)) await store(api, document);
      stored = size;
      await untilAllDone(api, size);
      cells.push(await measure(api, platform.pid, size));
    }
    const growth = (part: 'seconds' | 'cpuSeconds') => growthExponent(cells.map((cell) => [cell.clusters, cell[part]]));
    return {
      what: 'POST /v1/inventory/{namespace}/plan with an upgrade of Kubernetes in every environment; the fastest of some repeats',
      aim: { seconds: 10, exponent: 1.2 },
      cells,
      exponent: { seconds: growth('seconds'), cpuSeconds: growth('cpuSeconds') },
    };
  });

async function store(api: CliClient, document: Parameters<typeof inventoryName>[0]): Promise<void> {
  await api.putInventory({ namespace, kind: document.kind, name: inventoryName(document) }, document);
}

async function untilAllDone(api: CliClient, size: number): Promise<void> {
  for (;;) {
    const { items } = await api.listManifests({ namespace, limit: 200 });
    const failed = items.find(({ status }) => status === 'Failed');
    if (failed) throw new Error(`manifest ${failed.name} failed`);
    if (items.length === size && items.every(({ status }) => status === 'Done')) return;
    await pause(200);
  }
}

async function measure(api: CliClient, pid: number, size: number) {
  const { layers } = withVersion(benchInventory(1), '1.36.0');
  const changed = layers.filter(({ document }) => document.spec.level === 'environment');
  const body = changed.map(({ document }) => JSON.stringify(document)).join('\n---\n');
  const times = [];
  for (let index = 0; index < repeats; index += 1) {
    const [start, cpu] = [performance.now(), await cpuSeconds(pid)];
    const { changes, refused } = await api.planInventory({ namespace }, body);
    if (changes !== size || refused > 0)
      throw new Error(`${changes} of ${size} clusters change, ${refused} are refused`);
    times.push({ seconds: (performance.now() - start) / 1000, cpuSeconds: (await cpuSeconds(pid)) - cpu });
  }
  return {
    clusters: size,
    seconds: round(Math.min(...times.map(({ seconds }) => seconds))),
    cpuSeconds: round(Math.min(...times.map(({ cpuSeconds }) => cpuSeconds))),
  };
}

if (import.meta.filename === process.argv[1]) {
  process.stdout.write(`${JSON.stringify(await measureInventoryRoute(), null, 2)}\n`);
}
