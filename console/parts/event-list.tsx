/** Events as lines, oldest first: what happened, to which cluster and stage, how long after the start; those of a run together. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Name } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { type EventGroup, eventGroups, type ListedEvent, lastGroups, linesOf } from '../model/event-groups.ts';
import { clock, zoneName } from '../model/times.ts';
import { go, hrefOf, usePlace } from '../routes.ts';
import { EventLines } from './event-lines.tsx';
import { Sign, type Tone } from './status.tsx';

interface EventListProps {
  readonly events: readonly ListedEvent[];
  /** The manifest that they are of: each has an address of its own. @default of several, and none has */
  readonly of?: Name;
  /** Id of the one that the address is of. */
  readonly chosen?: string | undefined;
  /** Start of the only run: times are counted from here. @default several runs, and times are those of the clock */
  readonly start?: string | undefined;
  /** The newest line stays in view. @default false */
  readonly follow?: boolean;
  /** As high as the window. @default false */
  readonly tall?: boolean;
}

/** More events are shown only when someone asks for them. */
const shownAtOnce = 300;

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
  const last = chosen.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array is new each time, and its events are the same
  const groups = useMemo(() => {
    if (start !== undefined) return undefined;
    const found = eventGroups(chosen);
    return all ? found : lastGroups(found, shownAtOnce);
  }, [start, all, last, chosen.length]);
  const shown = groups?.flatMap((group) => group.events) ?? (all ? chosen : chosen.slice(-shownAtOnce));
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
  const shape = { of, linked, start, now };
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
        {groups === undefined && <EventLines lines={linesOf(shown)} {...shape} />}
        {groups?.map((group, index) =>
          group.title === undefined ? (
            <EventLines key={group.key} lines={linesOf(group.events)} {...shape} />
          ) : (
            <Run
              key={group.key}
              {...{ group, shape }}
              // For one manifest, what happened last; for all, one line for each run.
              begins={of !== undefined && (index >= groups.length - 1 || group.events.some(({ id }) => id === linked))}
            />
          ),
        )}
      </ol>
    </>
  );
}

interface RunProps {
  readonly group: EventGroup;
  readonly shape: Omit<Parameters<typeof EventLines>[0], 'lines'>;
  /** Whether it is open at first. */
  readonly begins: boolean;
}

const ends: Readonly<Record<NonNullable<EventGroup['end']>, readonly [tone: Tone, word: string]>> = {
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  ended: ['calm', 'Ended'],
};

/** A run that is closed shows its warnings and errors. */
function Run({ group: { title, first, end, events }, shape, begins }: RunProps) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? begins;
  const shown = open ? events : events.filter(({ level }) => level !== 'info');
  const [tone, word] = end ? ends[end] : ([undefined, ''] as const);
  return (
    <li className="event-run">
      <p className="event-head">
        <button type="button" className="quiet row-button" aria-expanded={open} onClick={() => setChosen(!open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>{' '}
          <time dateTime={first.at} title={first.at}>
            {clock(first.at, shape.now)}
          </time>{' '}
          {first.manifest !== undefined && <strong>{first.manifest} </strong>}
          {title}
        </button>
        {tone && <Sign tone={tone} word={word} />}
        {first.manifest !== undefined && (
          <a href={hrefOf(['manifests', first.namespace ?? 'default', first.manifest, 'run'], { run: first.runId })}>
            Run
          </a>
        )}
        <span className="dim">{countOf(events.length, 'event')}</span>
      </p>
      {shown.length > 0 && (
        <ol>
          <EventLines lines={linesOf(shown)} {...shape} inRun />
        </ol>
      )}
    </li>
  );
}
