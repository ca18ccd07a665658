/** What happened to everything that one may see, as it happens. */
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { type AnswerTo, ask } from '../api.ts';
import { commands } from '../model/commands.ts';
import { calmFor } from '../model/pace.ts';
import { spans } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Loading, Trouble, Updated } from '../parts/states.tsx';
import { paced } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';

type Events = AnswerTo<'GET /v1/events'>['items'];

/** So many are kept in the page; older ones leave it. */
const most = 2000;

export default function AllEventsPage({ chosen }: { readonly chosen: Readonly<Record<string, string>> }) {
  const minutes = Object.keys(spans).find((span) => span === chosen.minutes) ?? '60';
  const events = useFeed(Number(minutes));
  return (
    <>
      <div className="title">
        <h1>Events</h1>
        <Updated at={events.dataUpdatedAt} error={events.error} />
        <CopyCommand command={commands.allEvents(minutes)} />
      </div>
      <div className="filters">
        <label>
          From the last{' '}
          <select
            value={minutes}
            onChange={(event) => go(hrefOf(['events'], { minutes: event.target.value }), { replace: true })}
          >
            {Object.entries(spans).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {events.data ? (
        <EventList events={events.data} follow tall />
      ) : events.error ? (
        <Trouble error={events.error} what="events" />
      ) : (
        <Loading what="events" />
      )}
    </>
  );
}

/** The same array when nothing came and nothing is too old. */
function keptEvents(known: Events, fresh: Events, since: string): Events {
  const old = known.findIndex(({ at }) => at >= since);
  if (fresh.length === 0 && old === 0) return known;
  return [...(old === -1 ? [] : known.slice(old)), ...fresh].slice(-most);
}

/** Reads on from the last event that it has. */
function useFeed(minutes: number) {
  const known = useRef<{ minutes: number; events: Events; next: string | undefined }>(undefined);
  return useQuery<Events>({
    queryKey: ['all-events', minutes],
    queryFn: async ({ signal }) => {
      const begin = { minutes, events: [] as Events, next: undefined };
      let now = known.current?.minutes === minutes ? known.current : begin;
      for (;;) {
        const since = new Date(Date.now() - minutes * 60_000).toISOString();
        const query = now.next === undefined ? { since, limit: 200 } : { next: now.next, limit: 200 };
        const { items, next, more } = await ask('GET /v1/events', { query, signal });
        const seen = new Set(now.events.map(({ id }) => id));
        const fresh = items.filter(({ id }) => !seen.has(id));
        const events = keptEvents(now.events, fresh, since);
        now = { minutes, events, next: next ?? now.next };
        known.current = now;
        if (!more) return now.events;
      }
    },
    refetchInterval: paced<unknown>(() => calmFor(1)),
    structuralSharing: false,
  });
}
