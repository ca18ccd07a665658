/** Events as lines, oldest first: what happened, to which cluster and stage, how long after the start. */
import { useEffect, useRef, useState } from 'react';
import type { ShownEvent } from '#contracts/api-bodies.ts';
import type { Name } from '../model/commands.ts';
import { clock, lasted, zoneName } from '../model/times.ts';
import { go, hrefOf, usePlace } from '../routes.ts';

interface EventListProps {
  readonly events: readonly (ShownEvent & {
    readonly manifest?: string | undefined;
    readonly namespace?: string | undefined;
  })[];
  /** The manifest that they are of: each has an address of its own. @default of several, and none has */
  readonly of?: Name;
  /** Id of the one that the address is of. */
  readonly chosen?: string | undefined;
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

export function EventList({ events, of, chosen: linked, start, follow = false, tall = false }: EventListProps) {
  const [all, setAll] = useState(linked !== undefined);
  const place = usePlace();
  const loud = place.chosen.only === 'warnings';
  const showLoud = (only: boolean): void =>
    go(hrefOf(place.path, { ...place.chosen, only: only ? 'warnings' : undefined }), { replace: true });
  const list = useRef<HTMLOListElement>(null);
  /** Someone who reads further up is left alone. */
  const atEnd = useRef(linked === undefined);
  const chosen = loud ? events.filter(({ level }) => level !== 'info') : events;
  const shown = all ? chosen : chosen.slice(-drawn);
  const last = shown.at(-1);
  const now = Date.now();
  const dated = start === undefined && clock(shown[0]?.at ?? '', now).includes(' ');
  useEffect(() => {
    const element = list.current;
    if (follow && element && last && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [follow, last]);
  const there = linked !== undefined && shown.some(({ id }) => id === linked);
  useEffect(() => {
    if (there) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [there]);
  return (
    <>
      <label className="dim">
        <input type="checkbox" checked={loud} onChange={(event) => showLoud(event.target.checked)} /> only warnings and
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
          <li
            key={event.id ?? chosen.length - shown.length + index}
            className={event.level}
            aria-current={linked !== undefined && event.id === linked ? 'true' : undefined}
          >
            <EventTime event={event} of={of} start={start} now={now} />
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

/** It leads to the event, where that has an address. */
function EventTime({
  event: { id, at },
  of,
  start,
  now,
}: Pick<EventListProps, 'of' | 'start'> & { readonly event: ShownEvent; readonly now: number }) {
  const text = start === undefined ? clock(at, now) : lasted(Math.max(0, (Date.parse(at) - Date.parse(start)) / 1000));
  const time = (
    <time dateTime={at} title={at}>
      {text}
    </time>
  );
  if (of === undefined || id === undefined) return time;
  return <a href={hrefOf(['manifests', of.namespace, of.name, 'events'], { from: at, event: id })}>{time}</a>;
}

/** The stage is already shown before the message. */
function withoutRepeatedStage({ stage, message }: ShownEvent): string {
  return stage !== undefined && message.startsWith(`${stage} `) ? message.slice(stage.length + 1) : message;
}
