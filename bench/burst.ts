/**
 * A burst: all manifests at once, while other programs keep every core busy. `node bench/run.ts burst`;
 * BURST_MANIFESTS (2000), BURST_BUSY (2: programs that only use CPU), BURST_CLIENTS (16) and BURST_MINUTES (30: when it
 * stops trying) change it. Every manifest has to end Done, without a retry by anyone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CliClient } from '#cli/connection/api-client.ts';
import { smallManifest } from './manifests.ts';
import { countEach, percentiles, round, setting } from './numbers.ts';
import { cpuSeconds, onPlatform, residentBytes } from './platform-process.ts';

export const measureBurst = () =>
  onPlatform(async ({ platform, api, dataDir }) => {
    const manifests = setting('BURST_MANIFESTS', 2000);
    const busy = setting('BURST_BUSY', 2);
    const clients = setting('BURST_CLIENTS', 16);
    const minutes = setting('BURST_MINUTES', 30);
    const others: ChildProcess[] = [];
    try {
      for (let count = 0; count < busy; count += 1) others.push(spawn(process.execPath, ['-e', 'for(;;);']));
      const before = { bytes: await residentBytes(platform.pid), cpu: await cpuSeconds(platform.pid) };
      const started = performance.now();
      const names = Array.from({ length: manifests }, (_, index) => `burst-${String(index).padStart(5, '0')}`);
      const putMs = await timed(names, clients, async (name) => {
        await api.putManifest({ namespace: 'default', name }, smallManifest(name, 'sim'));
      });
      const accepted = performance.now();
      const watched = await watch(api, { names, pid: platform.pid, until: started + minutes * 60_000 });
      const ended = performance.now();
      const cpu = await cpuSeconds(platform.pid);
      for (const other of others) other.kill('SIGKILL');
      await pause(15_000);
      const idleBytes = await residentBytes(platform.pid);
      return {
        what: `${manifests} manifests at once by ${clients} clients, ${busy} busy programs next to them, everything on disk`,
        aim: { notDone: 0 },
        acceptedSeconds: round((accepted - started) / 1000),
        seconds: round((ended - started) / 1000),
        ended: watched.statuses,
        attemptsBeyondTheFirst: watched.attempts,
        putMs: percentiles(putMs),
        getMs: percentiles(watched.getMs),
        cpuSeconds: round(cpu - before.cpu),
        megabytes: { atStart: mb(before.bytes), peak: mb(watched.peak), idleAfterwards: mb(idleBytes) },
        diskMegabytes: mb(await diskBytes(dataDir)),
      };
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  });

/** Calls `work` for all, so many at once; how long each took, in ms. */
async function timed(names: readonly string[], clients: number, work: (name: string) => Promise<void>) {
  const left = [...names];
  const took: number[] = [];
  const client = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const began = performance.now();
      await work(name);
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return took;
}

/** Reads the manifests until all have ended, as a person would: one here and there, all of them now and then. */
async function watch(api: CliClient, given: { names: readonly string[]; pid: number; until: number }) {
  const { names, pid, until } = given;
  const getMs: number[] = [];
  let peak = 0;
  for (let turn = 0; ; turn += 1) {
    for (let count = 0; count < 20; count += 1) {
      const name = names[(turn * 20 + count * 97) % names.length] ?? '';
      const began = performance.now();
      await api.getManifest({ namespace: 'default', name });
      getMs.push(performance.now() - began);
      peak = Math.max(peak, await residentBytes(pid));
      await pause(250);
    }
    const all = await everyManifest(api);
    const statuses = countEach(all.map(({ status }) => status));
    const open = all.filter(({ status }) => !['Done', 'Failed'].includes(status)).length;
    const attempts = all.reduce((sum, { attempt }) => sum + attempt - 1, 0);
    if (open === 0 || performance.now() > until) return { statuses, attempts, getMs, peak };
  }
}

async function everyManifest(api: CliClient) {
  const first = await api.listManifests({ namespace: 'default' });
  const all = [...first.items];
  for (let { next } = first; next !== undefined; ) {
    const page = await api.listManifests({ namespace: 'default', next });
    all.push(...page.items);
    next = page.next;
  }
  return all;
}

/** Size of the files below a directory, bytes. */
async function diskBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // The platform may still be at work: a file that is gone by now counts as empty.
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const mb = (bytes: number): number => Math.round(bytes / 1e6);
