/** Removal of old files of a platform that runs for months: at the start, and every hour from then on. */
import { copyFile, rm, stat, truncate } from 'node:fs/promises';
import type { BuildStore } from 'aws-on-loopback/codebuild/build-store.ts';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import type { LocalS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import type { ExecutionStore } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import { bucket } from './environment.ts';

export interface HousekeepingOptions {
  readonly executions: Pick<ExecutionStore, 'sweep'>;
  readonly builds: Pick<BuildStore, 'sweep'>;
  readonly objects: Pick<LocalS3, 'expire' | 'trim'>;
  /** What the platform writes as it runs. */
  readonly logFile: string;
  readonly logger: Logger;
}

const everyMs = 3600 * 1000;
const day = 86_400_000;
/** As the lifecycle rules of the bucket in AWS. */
const keptMs = { 'runs/': 365 * day, 'checks/': 365 * day, 'access/': day, 'kept-states/': 90 * day } as const;
/** Logs, results and rendered files of runs and checks: a damaged one does not keep a platform from starting. */
export const expiringPrefixes = ['runs/', 'checks/', 'access/'] as const satisfies readonly (keyof typeof keptMs)[];
const gigabyte = 1024 ** 3;
/**
 * Disk for what runs and checks leave, in addition: the oldest is removed first. What is younger than `spareMs` may belong to a run in progress.
 * 1,000 manifests that are checked every 6 hours write more than a gigabyte a day.
 */
const bounds = [
  { prefix: 'checks/', bytes: gigabyte, spareMs: day / 8 },
  { prefix: 'runs/', bytes: 4 * gigabyte, spareMs: 2 * day },
] as const;
const largestLogBytes = 10 * 1024 * 1024;

/** Returns what ends it. */
export function startHousekeeping(options: HousekeepingOptions): () => void {
  const work = (): void =>
    void keepHouse(options, Date.now()).catch((error: unknown) =>
      options.logger.error('old files were not removed', { cause: messageOf(error) }),
    );
  const timer = setInterval(work, everyMs);
  timer.unref();
  work();
  return () => clearInterval(timer);
}

export async function keepHouse(
  { executions, builds, objects, logFile }: HousekeepingOptions,
  now: number,
): Promise<void> {
  executions.sweep(now);
  const logs = builds.sweep(now);
  await Promise.all(logs.map((log) => rm(log, { force: true })));
  for (const [prefix, kept] of Object.entries(keptMs)) await objects.expire(bucket, prefix, new Date(now - kept));
  for (const { prefix, bytes, spareMs } of bounds)
    await objects.trim(bucket, prefix, { bytes, before: new Date(now - spareMs) });
  const size = await stat(logFile).then(
    (file) => file.size,
    () => 0,
  );
  if (size <= largestLogBytes) return;
  // Its writer appends to this very file: it is emptied, not moved.
  await copyFile(logFile, `${logFile}.1`);
  await truncate(logFile);
}
