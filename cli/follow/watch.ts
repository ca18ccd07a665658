/** Follows a manifest until its run ends: events as lines, and on a terminal a live line for each cluster below them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { ApiProblem, whenMissing } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { compareRuns } from '../manifest-name.ts';
import { eventLines } from '../print/event-lines.ts';
import { eventFeed } from './event-feed.ts';
import { exitCodeOfFailure } from './exit-of-failure.ts';
import { openLiveView, silentView, type View } from './live-view.ts';

export interface Followed {
  /** Undefined when the manifest is gone (a delete that ended). */
  readonly manifest: ManifestDescription | undefined;
  readonly elapsedMs: number;
}

export interface FollowOptions {
  readonly runId: string;
  /** There was no request: only events from now on are shown. @default events since the last request */
  readonly fromNow?: boolean;
  /** Which events are shown. @default all */
  readonly shows?: (event: RunEvent) => boolean;
  /** Prints nothing (for `--json`). */
  readonly quiet?: boolean;
  /** Where lines go instead of standard output; nothing is drawn then. */
  readonly write?: (line: string) => void;
  /** @default 400, and 100 at first: quick runs are not delayed by polling */
  readonly pollMs?: number;
  /** How long the last events are waited for once the run has ended. @default 2000 */
  readonly lastEventsMs?: number;
  /** How long to retry when nothing answers. @default 60,000 */
  readonly patienceMs?: number;
}

export type FollowedApi = Pick<CliClient, 'getManifest' | 'listEvents'>;

/** Prints events since the last request until the run, or a later one that took over, has ended: Done, Failed, paused or deleted. */
export async function follow(api: FollowedApi, key: ManifestName, options: FollowOptions): Promise<Followed> {
  const { runId, pollMs, lastEventsMs = 2000, patienceMs = 60_000, shows = () => true } = options;
  const started = Date.now();
  const view = viewFor(options);
  const feed = eventFeed(api, key);
  const patient = patience(patienceMs, view);
  let endedAt: number | undefined;
  const reported = new Set<string>();
  let newest = runId;
  let begin: Beginning | undefined;
  try {
    for (;;) {
      // The state before the events: what has happened by then is among them, or is still being written.
      const state = await patient(() => getOrGone(api, key, runId));
      const going = state !== undefined && !hasEnded(state, runId);
      // What is not shown is read once, at the end.
      const events =
        going && options.quiet ? [] : await patient(() => feed.read().catch(whenMissing<readonly RunEvent[]>([])));
      const concerning = events.filter((event) => concerns(event, runId));
      newest = state?.runId ?? newest;
      for (const event of concerning) if (isLast(event)) reported.add(event.runId);
      begin ??= beginningOf(concerning, { started, fromNow: options.fromNow === true });
      const { isOld, at } = begin;
      const fresh = concerning.filter((event) => !isOld(event) && shows(event));
      view.show(
        fresh.flatMap((event) => eventLines(event, at)),
        state,
      );
      if (going) {
        endedAt = undefined;
        await sleep(pollMs ?? (Date.now() - started < 3000 ? 100 : 400));
        continue;
      }
      endedAt ??= Date.now();
      const waited = Date.now() - endedAt;
      if ((reported.has(newest) && !isStale(state)) || waited >= lastEventsMs)
        return { manifest: state, elapsedMs: Date.now() - started };
      await sleep(Math.min(pollMs ?? 100, 100));
    }
  } finally {
    view.close();
  }
}

interface Beginning {
  /** Start of the shown times, on the clock of the events where that is known. */
  readonly at: number;
  /** Happened before. */
  isOld(event: RunEvent): boolean;
}

/** The first event to show: that of the request that was just made, which is among the first events that are read. */
function beginningOf(
  events: readonly RunEvent[],
  { started, fromNow }: { readonly started: number; readonly fromNow: boolean },
): Beginning {
  const times = events.map(({ at }) => Date.parse(at));
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...times);
  if (fromNow) return { at: started, isOld: ({ at }) => Date.parse(at) <= newest };
  const request = times[events.findLastIndex(({ kind }) => kind === 'Requested')];
  return { at: request ?? started, isOld: ({ at }) => request !== undefined && Date.parse(at) < request };
}

/** Undefined once it is gone, also when another has come in its place under the same name. */
async function getOrGone(api: FollowedApi, key: ManifestName, runId: string): Promise<ManifestDescription | undefined> {
  const manifest = await api.getManifest(key).catch(whenMissing(undefined));
  return manifest && compareRuns(manifest.runId, runId) === 'other' ? undefined : manifest;
}

/** Events of the run and of those that took over from it. */
function concerns(event: RunEvent, runId: string): boolean {
  const order = compareRuns(event.runId, runId);
  return order === 'same' || order === 'later';
}

/** How a run's own last event is called. */
const isLast = ({ kind }: RunEvent): boolean => /^Run(?!Started|Queued)/.test(kind);

/** Settled, by this run or a later one; what an earlier run came to is not the end. */
function hasEnded(manifest: ManifestDescription, runId: string): boolean {
  if (compareRuns(manifest.runId, runId) === 'earlier') return false;
  if (manifest.status === 'Done' || manifest.status === 'Failed') return true;
  return manifest.paused === true && !isStale(manifest);
}

/** The manifest has settled, its run's record is being written. */
const isStale = (manifest: ManifestDescription | undefined): boolean =>
  manifest?.lastRun != null && ['Queued', 'Running'].includes(manifest.lastRun.status);

/** Tries again while nothing answers or the service has a fault, for as long as it may be a restart. */
function patience(limitMs: number, view: View) {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const end = Date.now() + limitMs;
    for (let pause = 250; ; pause = Math.min(5000, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!mayPass(error) || Date.now() + pause > end) throw error;
        if (pause === 250)
          view.show([`no answer for now, trying for ${Math.round(limitMs / 1000)} s: ${sentence(error)}`], undefined);
        await sleep(pause);
      }
    }
  };
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const mayPass = (error: unknown): boolean =>
  error instanceof ApiProblem
    ? error.problem.status >= 500 || error.problem.status === 429
    : error instanceof CliError && error.exitCode === exitCodes.unreachable;

function viewFor({ quiet, write }: FollowOptions): View {
  if (quiet) return silentView;
  if (write) return { show: (lines) => lines.forEach(write), close: () => {} };
  return openLiveView();
}

/** Exit code for the end of a run that the command waited for, by the kind of its failure; `unchanged`: no run was started. */
export function exitCodeOfRun(
  { manifest }: Followed,
  { deleting, unchanged }: { readonly deleting: boolean; readonly unchanged: boolean },
): number {
  const code = manifest === undefined ? exitCodes.runFailed : exitCodeOfEnd(manifest);
  if (deleting) return manifest === undefined ? exitCodes.ok : code;
  // A check of what failed before has done its work.
  const checked = manifest?.status === 'Failed' && manifest.lastRun?.status === 'Succeeded';
  const reached = checked || (manifest?.status === 'Done' && (unchanged || !wasUndone(manifest)));
  return reached ? exitCodes.ok : code;
}

/** A manifest that was paused before its run ended has no failure of this run. */
const exitCodeOfEnd = (manifest: ManifestDescription): number =>
  manifest.status === 'Failed' || wasUndone(manifest) ? exitCodeOfFailure(manifest) : exitCodes.runFailed;

/** All is as the manifest asks for, and what its last run was asked for apart from it was undone. */
export function wasUndone({ status, lastRun }: ManifestDescription): boolean {
  return status === 'Done' && (lastRun?.status === 'Failed' || lastRun?.status === 'Aborted');
}
