/** Events as lines, oldest first: what happened, to which cluster and stage, how long after the start. */
import { useEffect, useRef, useState } from 'react';
import type { RunEvent } from '#contracts/records.ts';
import { clock, lasted, zoneName } from '../model/times.ts';
import { hrefOf } from '../routes.ts';

interface EventListProps {
  readonly events: readonly (RunEvent & {
    readonly id?: string;
    readonly manifest?: string | undefined;
    readonly namespace?: string | undefined;
  })[];
  /** Times are counted from here. @default those of the clock */
  readonly start?: string | undefined;
  /** The newest line stays in view. @default false */
  readonly follow?: boolean;
  /** As high as the window. @default false */
  readonly tall?: boolean;
}

const signs = { info: '·', warning: '!', error: '✗' } as const;
/** More lines are drawn only when someone asks for them. */
const drawn = 300;

export function EventList({ events, start, follow = false, tall = false }: EventListProps) {
  const [all, setAll] = useState(false);
  const [loud, setLoud] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  /** Someone who reads further up is left alone. */
  const atEnd = useRef(true);
  const chosen = loud ? events.filter(({ level }) => level !== 'info') : events;
  const shown = all ? chosen : chosen.slice(-drawn);
  const last = shown.at(-1);
  const now = Date.now();
  const dated = start === undefined && clock(shown[0]?.at ?? '', now).includes(' ');
  useEffect(() => {
    const element = list.current;
    if (follow && element && last && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [follow, last]);
  return (
    <>
      <label className="dim">
        <input type="checkbox" checked={loud} onChange={(event) => setLoud(event.target.checked)} /> only warnings and
        errors
      </label>
      {start === undefined && <span className="dim"> · times of your clock ({zoneName(now)})</span>}
      {shown.length < chosen.length && (
        <button type="button" className="quiet" onClick={() => setAll(true)}>
          Show {chosen.length - shown.length} earlier events
        </button>
      )}
      {shown.length === 0 && <p className="dim">{events.length === 0 ? 'Nothing was reported yet.' : 'None.'}</p>}
      <ol
        className={['events', tall && 'tall', dated && 'dated'].filter(Boolean).join(' ')}
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        aria-label="Events, oldest first"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          atEnd.current = scrollTop + clientHeight >= scrollHeight - 40;
        }}
      >
        {shown.map((event, index) => (
          <li key={event.id ?? chosen.length - shown.length + index} className={event.level}>
            <time dateTime={event.at} title={event.at}>
              {start === undefined
                ? clock(event.at, now)
                : lasted(Math.max(0, (Date.parse(event.at) - Date.parse(start)) / 1000))}
            </time>
            <span className="event-sign">
              <span aria-hidden="true">{signs[event.level]}</span>
              {event.level !== 'info' && <span className="hidden">{event.level}: </span>}
            </span>
            <span>
              {event.manifest !== undefined && (
                <a href={hrefOf(['manifests', event.namespace ?? 'default', event.manifest])}>{event.manifest}</a>
              )}{' '}
              {[event.cluster, event.stage].filter(Boolean).length > 0 && (
                <span className="event-place">{[event.cluster, event.stage].filter(Boolean).join('/')} </span>
              )}
              {withoutRepeatedStage(event)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The stage is already shown before the message. */
function withoutRepeatedStage({ stage, message }: RunEvent): string {
  return stage !== undefined && message.startsWith(`${stage} `) ? message.slice(stage.length + 1) : message;
}
