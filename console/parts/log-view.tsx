/** The log of a stage: follows its end while it grows, and draws only the lines in view. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { askOnce } from '../api.ts';
import { counted } from '../model/counted.ts';
import { type LogLines, noLines, shownLines, withText } from '../model/log-lines.ts';
import { Trouble } from './states.tsx';

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

const lineHeight = 18;
const pauseMs = 1000;

export function LogView({ at }: { readonly at: LogPlace }) {
  const { log, ended, error } = useLog(at);
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });
  const [follows, setFollows] = useState(true);
  const lines = log.rest === '' ? log.lines : [...log.lines, log.rest];
  const { from, to } = shownLines(lines.length, lineHeight, view.top, view.height);

  useLayoutEffect(() => {
    if (follows && place.current && lines.length > 0) place.current.scrollTop = place.current.scrollHeight;
  }, [follows, lines.length]);

  const scrolled = (): void => {
    const element = place.current;
    if (!element) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    setFollows(element.scrollTop + element.clientHeight >= element.scrollHeight - 2 * lineHeight);
  };
  return (
    <>
      {error ? <Trouble error={error} what="the log" /> : null}
      <p className="dim log-head">
        {counted(lines.length, 'line')}
        {ended ? '' : ', follows'}
        <button type="button" className="quiet" aria-pressed={follows} onClick={() => setFollows(!follows)}>
          {follows ? 'Stay here' : 'Go to the end'}
        </button>
      </p>
      <div
        className="log-lines"
        ref={place}
        onScroll={scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        role="log"
        aria-label="Log"
        aria-live="off"
      >
        <div style={{ height: lines.length * lineHeight }}>
          <pre style={{ transform: `translateY(${from * lineHeight}px)` }}>{lines.slice(from, to).join('\n')}</pre>
        </div>
        {lines.length === 0 && <p className="dim">{ended ? 'The log is empty.' : 'Nothing is written yet.'}</p>}
      </div>
    </>
  );
}

/** Reads from where it was, until the stage has ended; a hidden tab reads nothing. */
function useLog({ stage, undo, ...at }: LogPlace) {
  const [state, setState] = useState<{ log: LogLines; ended: boolean; error: unknown }>({
    ...{ log: noLines, ended: false, error: undefined },
  });
  const params = JSON.stringify({ ...at, stage: `${stage}${undo ? '-undo' : ''}` });
  useEffect(() => {
    const stop = new AbortController();
    let offset = 0;
    const read = async (): Promise<void> => {
      const found = await askOnce(
        'GET /v1/manifests/{namespace}/{name}/runs/{run}/logs/{cluster}/{waypoint}/{stage}/{attempt}',
        {
          params: JSON.parse(params),
          query: { offset },
          signal: stop.signal,
        },
      );
      if (!found) return;
      const before = offset;
      offset = Number(found.headers.get('kubeloom-next-offset') ?? offset);
      const ended = found.headers.get('kubeloom-ended') === 'true';
      setState(({ log }) => ({ log: withText(log, found.data), ended, error: undefined }));
      if (ended) stop.abort();
      else if (offset > before) await read();
    };
    const follow = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        if (document.visibilityState === 'visible')
          await read().catch((error: unknown) => {
            if (!stop.signal.aborted && !isNotYet(error)) setState((now) => ({ ...now, error }));
          });
        await new Promise((resolve) => window.setTimeout(resolve, pauseMs));
      }
    };
    void follow();
    return () => stop.abort();
  }, [params]);
  return state;
}

/** A stage that just started has no log for a moment. */
const isNotYet = (error: unknown): boolean =>
  error instanceof Error && 'problem' in error && (error.problem as { status?: number }).status === 404;
