/** The text of a log, read from where it was until nothing follows; a hidden tab reads nothing. */
import { useEffect, useRef, useState } from 'react';
import { askOnce, RequestRefused } from '../api.ts';
import { type LogLines, noLines, withText } from '../model/log-lines.ts';
import { nextLogRead } from '../model/pace.ts';

export interface LogPlace {
  readonly namespace: string;
  readonly name: string;
  readonly run: string;
  readonly cluster: string;
  readonly waypoint: string;
  readonly stage: string;
  readonly undo: boolean;
  readonly attempt: number;
}

export interface ReadLog {
  readonly log: LogLines;
  /** `asked`: nothing is known yet; `follows`: more may come; `ended`: this is all; `missing`: none is kept. */
  readonly state: 'asked' | 'follows' | 'ended' | 'missing';
  readonly error: unknown;
}

/** `active`: whether the run is in progress. */
export function useLog({ stage, undo, ...at }: LogPlace, active: boolean): ReadLog {
  const [read, setRead] = useState<ReadLog>({ log: noLines, state: 'asked', error: undefined });
  const isActive = useRef(active);
  isActive.current = active;
  const params = JSON.stringify({ ...at, stage: `${stage}${undo ? '-undo' : ''}` });
  useEffect(() => {
    const stop = new AbortController();
    const change = (next: Partial<ReadLog> & { readonly text?: string }): void =>
      setRead((now) => {
        const { text = '', ...rest } = next;
        const log = withText(now.log, text);
        const same =
          log === now.log && Object.entries(rest).every(([name, value]) => now[name as keyof ReadLog] === value);
        return same ? now : { ...now, ...rest, log };
      });
    void follow(JSON.parse(params), { stop: stop.signal, change, active: () => isActive.current });
    return () => stop.abort();
  }, [params]);
  return read;
}

interface Following {
  readonly stop: AbortSignal;
  readonly change: (next: Partial<ReadLog> & { readonly text?: string }) => void;
  readonly active: () => boolean;
}

type Params = Record<'namespace' | 'name' | 'run' | 'cluster' | 'waypoint' | 'stage' | 'attempt', string>;

async function follow(params: Params, { stop, change, active }: Following): Promise<void> {
  let [offset, failures, still] = [0, 0, 0];
  while (!stop.aborted) {
    // Before it is asked: what is written until the run ends is read after that.
    const wasActive = active();
    const { status, text, ended, next, error } = await piece(params, offset, stop);
    if (stop.aborted) return;
    const grew = next > offset;
    offset = next;
    failures = status === 200 ? 0 : failures + 1;
    still = grew ? 0 : still + 1;
    const wait = nextLogRead({ status, ended, grew, failures, still, active: wasActive });
    const over = status === 404 ? 'missing' : 'ended';
    change({ text, state: wait === undefined && (status === 200 || status === 404) ? over : 'follows', error });
    if (wait === undefined) return;
    // All that is there is read at once.
    if (!grew) await pause(wait, stop);
  }
}

interface Piece {
  readonly status: number;
  readonly text: string;
  readonly ended: boolean;
  readonly next: number;
  readonly error: unknown;
}

async function piece(params: Params, offset: number, signal: AbortSignal): Promise<Piece> {
  const nothing = { text: '', ended: false, next: offset };
  try {
    const route = 'GET /v1/manifests/{namespace}/{name}/runs/{run}/logs/{cluster}/{waypoint}/{stage}/{attempt}';
    const found = await askOnce(route, { params, query: { offset }, signal });
    if (!found) return { ...nothing, status: 200, error: undefined };
    const next = Number(found.headers.get('kubeloom-next-offset') ?? offset);
    const ended = found.headers.get('kubeloom-ended') === 'true';
    return { status: 200, text: found.data, ended, next, error: undefined };
  } catch (error) {
    const status = error instanceof RequestRefused ? error.problem.status : 0;
    // A stage that just started has no log for a moment.
    return { ...nothing, status, error: status === 404 ? undefined : error };
  }
}

/** Until the time is over and the tab is seen. */
async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    const stopped = (): void => {
      window.clearTimeout(timer);
      resolve();
    };
    stop.addEventListener('abort', stopped, { once: true });
  });
  if (document.visibilityState === 'visible' || stop.aborted) return;
  await new Promise<void>((resolve) => {
    const both = new AbortController();
    const done = (): void => {
      both.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', done, { signal: both.signal });
    stop.addEventListener('abort', done, { signal: both.signal });
  });
}
