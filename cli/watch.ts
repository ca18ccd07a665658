/** Follows a manifest until its run ends: events as lines, and on a terminal a live line for each cluster below them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterDescription, ManifestDescription } from '#contracts/http.ts';
import type { RunEvent } from '#contracts/records.ts';
import { type ApiClient, ApiProblem, type ManifestName } from './api-client.ts';
import { exitCodes } from './exit-codes.ts';
import { duration, paint, paintStatus, print } from './output.ts';

const pollMs = 400;

export interface Followed {
  /** Undefined when the manifest is gone (a delete that ended). */
  readonly manifest: ManifestDescription | undefined;
  readonly elapsedMs: number;
}

/** Prints what happens until the manifest is Done, Failed or gone. `quiet` prints nothing (for `--json`). */
export async function follow(
  api: ApiClient,
  key: ManifestName,
  options: { readonly runId: string; readonly quiet?: boolean; readonly write?: (line: string) => void },
): Promise<Followed> {
  const started = Date.now();
  const live = process.stdout.isTTY === true && !options.quiet && !options.write;
  const write = options.write ?? print;
  let cursor: string | undefined;
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) process.stdout.write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  for (;;) {
    const manifest = await getOrGone(api, key);
    const page = await readEvents(api, key, cursor);
    cursor = page.next ?? cursor;
    const fresh = page.items.filter((event) => event.runId === options.runId);
    erase();
    if (!options.quiet) for (const event of fresh) write(eventLine(event, started));
    if (manifest === undefined || hasEnded(manifest, options.runId)) {
      if (page.items.length > 0 && page.next !== undefined) continue;
      return { manifest, elapsedMs: Date.now() - started };
    }
    if (live) {
      const lines = manifest.clusters.map((cluster) => progressLine(cluster));
      for (const line of lines) print(line);
      drawn = lines.length;
    }
    await sleep(pollMs);
  }
}

async function getOrGone(api: ApiClient, key: ManifestName): Promise<ManifestDescription | undefined> {
  return api.getManifest(key).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.problem.status === 404) return undefined;
    throw error;
  });
}

async function readEvents(api: ApiClient, key: ManifestName, cursor: string | undefined) {
  return api.listEvents(key, cursor).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.problem.status === 404) return { items: [], next: undefined };
    throw error;
  });
}

/** A newer run may have taken over: its end is the end of what is waited for. */
function hasEnded(manifest: ManifestDescription, runId: string): boolean {
  const settled = manifest.status === 'Done' || manifest.status === 'Failed';
  return (
    settled &&
    (manifest.runId !== runId || manifest.lastRun === null || !['Queued', 'Running'].includes(manifest.lastRun.status))
  );
}

/** One event for people: time since the start, cluster, stage, what happened. */
export function eventLine(event: RunEvent, started: number): string {
  const elapsed = duration(Math.max(0, Date.parse(event.at) - started)).padStart(9);
  const place = [event.cluster, event.stage].filter(Boolean).join('/');
  const mark =
    event.level === 'error' ? paint('red', '✗') : event.level === 'warning' ? paint('yellow', '!') : paint('dim', '·');
  return `${paint('dim', elapsed)} ${mark} ${place ? `${paint('cyan', place)}  ` : ''}${event.message}`;
}

function progressLine(cluster: ClusterDescription): string {
  const progress = cluster.progress;
  if (!progress) return `  ${cluster.name ?? cluster.cluster}  ${paintStatus(cluster.status)}`;
  const width = 24;
  const full = Math.round((progress.percent / 100) * width);
  const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(width - full));
  const elapsed = duration(Date.now() - Date.parse(progress.startedAt));
  return `  ${cluster.name ?? cluster.cluster}  ${bar} ${String(progress.percent).padStart(3)} %  step ${Math.min(progress.step + 1, progress.steps)} of ${progress.steps}  ${progress.direction}${progress.stage ? ` · ${progress.stage}` : ''}  ${paint('dim', elapsed)}`;
}

/** Exit code for the end of a run that was waited for. */
export function exitCodeOfRun(followed: Followed, deleting: boolean): number {
  if (deleting) return followed.manifest === undefined ? exitCodes.ok : exitCodes.runFailed;
  return followed.manifest?.status === 'Done' ? exitCodes.ok : exitCodes.runFailed;
}
