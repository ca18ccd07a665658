/** The log of a stage: follows its end while it grows, and draws only the lines in view. */
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { countOf } from '../model/count-of.ts';
import { allLines, nextMatch, shownLines } from '../model/log-lines.ts';
import { Trouble } from './states.tsx';
import { type LogPlace, type ReadLog, useLog } from './use-log.ts';

interface LogViewProps {
  readonly at: LogPlace;
  /** Whether the run is in progress. */
  readonly active: boolean;
}

export function LogView({ at, active }: LogViewProps) {
  const { log, state, error } = useLog(at, active);
  const lines = useMemo(() => allLines(log), [log]);
  const place = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLPreElement>(null);
  const [lineHeight, setLineHeight] = useState(18);
  const [view, setView] = useState({ top: 0, height: 400 });
  const [follows, setFollows] = useState(true);
  const [found, setFound] = useState<number>();
  /** Those in which nothing was found: others may have it. */
  const [without, setWithout] = useState<readonly string[]>();
  const { from, to } = shownLines(lines.length, lineHeight, view.top, view.height);

  // Measures the drawn height of lines, because users may set a larger line spacing.
  useLayoutEffect(() => {
    const measured = text.current && to > from ? text.current.getBoundingClientRect().height / (to - from) : lineHeight;
    if (Math.abs(measured - lineHeight) > 0.2) setLineHeight(measured);
  }, [from, to, lineHeight]);
  useLayoutEffect(() => {
    if (follows && place.current && lines.length > 0) place.current.scrollTop = lines.length * lineHeight;
  }, [follows, lines.length, lineHeight]);

  const scrolled = (): void => {
    const element = place.current;
    if (!element) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    setFollows(element.scrollTop + element.clientHeight >= element.scrollHeight - 2 * lineHeight);
  };
  const find = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' || !place.current) return;
    const match = nextMatch(lines, event.currentTarget.value, found, event.shiftKey ? -1 : 1);
    setFound(match);
    setWithout(event.currentTarget.value !== '' ? lines : undefined);
    if (match === undefined) return;
    setFollows(false);
    place.current.scrollTop = Math.max(0, (match - 3) * lineHeight);
  };
  return (
    <>
      {error ? <Trouble error={error} what="the log" /> : null}
      <div className="dim log-head">
        <span>
          {countOf(lines.length, 'line')}
          {state === 'follows' && error === undefined && active ? ', follows' : ''}
        </span>
        <button type="button" className="quiet" aria-pressed={follows} onClick={() => setFollows(!follows)}>
          Stay at the end
        </button>
        <button type="button" className="quiet" disabled={lines.length === 0} onClick={() => save(lines, at)}>
          Save all of it
        </button>
        <input type="search" placeholder="Find, Enter: next   /" aria-label="Find in the log" onKeyDown={find} />
        <span role="status">{found !== undefined ? `line ${found + 1}` : without === lines ? 'not found' : ''}</span>
      </div>
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
          <pre ref={text} style={{ transform: `translateY(${from * lineHeight}px)` }}>
            <LinesInView {...{ lines, from, to, found }} />
          </pre>
        </div>
        {lines.length === 0 && <p className="dim">{withoutLines[state]}</p>}
      </div>
    </>
  );
}

interface LinesInViewProps {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Index of the line to mark. */
  readonly found: number | undefined;
}

function LinesInView({ lines, from, to, found }: LinesInViewProps) {
  if (found === undefined || found < from || found >= to) return lines.slice(from, to).join('\n');
  return (
    <>
      {`${lines.slice(from, found).join('\n')}${found > from ? '\n' : ''}`}
      <mark>{lines[found]}</mark>
      {`\n${lines.slice(found + 1, to).join('\n')}`}
    </>
  );
}

const withoutLines: Readonly<Record<ReadLog['state'], string>> = {
  asked: 'Asking for the log …',
  follows: 'Nothing is written yet.',
  ended: 'The log is empty.',
  missing: 'No log of it is kept.',
};

/** As a file: what is drawn is only what is in view. */
function save(lines: readonly string[], { run, cluster, waypoint, stage, attempt }: LogPlace): void {
  const address = URL.createObjectURL(new Blob([lines.join('\n'), '\n'], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${[run, cluster, waypoint, stage, attempt].join('-')}.log`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
