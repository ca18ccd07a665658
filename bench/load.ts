/**
 * Load: clients that apply, read and delete manifests at once, while the platform is killed and started again.
 * `node bench/run.ts load`; LOAD_SECONDS (30), LOAD_CLIENTS (50), LOAD_MANIFESTS (500), LOAD_KILLS (5) and LOAD_PAUSE_MS (1000:
 * a client asks about once a second; 0 is what the platform can take at most) and LOAD_SETTLE_SECONDS (420: how long
 * manifests may take to end afterwards; a run whose end went unreported is found after 300 s) change it.
 * Every client has its own manifests, so it knows what it was promised: each 202 names a generation that must be
 * found afterwards and come to an end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { status, up } from '#local/supervisor.ts';
import { type Call, type LoadClient, loadClient, type Owned } from './load-client.ts';
import { verify } from './load-promises.ts';
import { countEach, percentiles, round, setting } from './numbers.ts';
import { type OwnPlatform, onPlatform } from './platform-process.ts';

const tickSeconds = 5;
export const measureLoad = () => onPlatform(load, { tickSeconds });

async function load({ platform: first, dataDir }: OwnPlatform) {
  const seconds = setting('LOAD_SECONDS', 30);
  const clients = setting('LOAD_CLIENTS', 50);
  const manifests = setting('LOAD_MANIFESTS', 500);
  const kills = setting('LOAD_KILLS', 5);
  const pauseMs = setting('LOAD_PAUSE_MS', 1000);
  let platform = first;
  const apiPort = Number(new URL(platform.apiUrl).port);
  const until = performance.now() + seconds * 1000;
  const working = Array.from({ length: clients }, (_, index) =>
    loadClient({ platform, index, until, pauseMs, owned: share(index, clients, manifests) }),
  );
  const work = Promise.all(working.map((client) => client.run()));
  const restartSeconds: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    await pause((seconds * 1000) / (kills + 1));
    const began = performance.now();
    process.kill(platform.pid, 'SIGKILL');
    while (await status(dataDir)) await pause(5);
    platform = await up({ dataDir, apiPort, runner: 'sim', tickSeconds });
    restartSeconds.push(round((performance.now() - began) / 1000));
  }
  await work;
  const settling = performance.now();
  const promises = await verify(working, setting('LOAD_SETTLE_SECONDS', 420) * 1000);
  return {
    what: `${clients} clients on ${manifests} manifests for ${seconds} s, ${pauseMs} ms between requests, the platform killed ${kills} times`,
    aim: { serverFaults: 0, lostUpdates: 0, unfinished: 0, failedOtherwise: 0, readP99Ms: 150 },
    ...summary(working),
    restartSeconds,
    ...promises,
    settledSeconds: round((performance.now() - settling) / 1000),
  };
}

function share(index: number, clients: number, manifests: number): Owned[] {
  const names = Array.from({ length: manifests }, (_, n) => `load-${String(n).padStart(3, '0')}`);
  return names.filter((_, n) => n % clients === index).map((name) => ({ name, promised: undefined }));
}

function summary(clients: readonly LoadClient[]): object {
  const calls = clients.flatMap((client) => client.calls);
  const answered = calls.filter(({ status }) => status > 0);
  const times = (kind: Call['kind']) => percentiles(answered.filter((call) => call.kind === kind).map(({ ms }) => ms));
  return {
    requests: calls.length,
    statuses: countEach(calls.map(({ status }) => status || 'interrupted')),
    serverFaults: calls.filter(({ status }) => status >= 500).length,
    serverFaultSamples: clients.flatMap((client) => client.faults).slice(0, 5),
    readMs: times('read'),
    writeMs: times('write'),
  };
}
