/** 100 manifests at once on a platform of its own process: wall time until all are Done, and the platform's memory. */
import { benchManifest, untilDone } from './manifests.ts';
import { round } from './numbers.ts';
import { onPlatform, residentBytes } from './platform-process.ts';

const count = 100;

export const measureMany = () =>
  onPlatform(async ({ platform, api }) => {
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
  });
