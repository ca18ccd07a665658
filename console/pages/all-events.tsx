/** What happened to everything that one may see, as it happens. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { type AnswerTo, ask } from '../api.ts';
import { commands, type FeedChoice } from '../model/commands.ts';
import { calmFor } from '../model/pace.ts';
import { spans } from '../model/times.ts';
import { useNamespaces } from '../namespaces.ts';
import { Choice } from '../parts/choice.tsx';
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
  const { namespace = '', kind = '' } = chosen;
  const events = useFeed({ minutes, namespace, kind });
  const namespaces = useNamespaces();
  const kinds = useKinds(events.data);
  const choose = (change: Readonly<Record<string, string>>) =>
    go(hrefOf(['events'], { ...chosen, ...change }), { replace: true });
  return (
    <>
      <div className="title">
        <h1>Events</h1>
        <Updated at={events.dataUpdatedAt} error={events.error} />
        <CopyCommand command={commands.allEvents({ minutes, namespace, kind })} />
      </div>
      <div className="filters">
        <label>
          From the last{' '}
          <select value={minutes} onChange={(event) => choose({ minutes: event.target.value })}>
            {Object.entries(spans).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <Choice
          title="Namespace"
          of={namespaces.names}
          value={namespace}
          choose={(name) => choose({ namespace: name })}
        />
        <Choice title="Kind" of={kinds} value={kind} choose={(name) => choose({ kind: name })} />
      </div>
      {events.error && events.data && <Trouble error={events.error} what="events" />}
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

/** Kinds that were seen here, also before one of them was chosen. */
function useKinds(events: Events | undefined): readonly string[] {
  const seen = useRef(new Set<string>());
  return useMemo(() => {
    for (const { kind } of events ?? []) seen.current.add(kind);
    return [...seen.current];
  }, [events]);
}

/** Reads on from the last event that it has. */
function useFeed({ minutes, namespace, kind }: FeedChoice) {
  const chosen = `${minutes} ${namespace} ${kind}`;
  const known = useRef<{ chosen: string; events: Events; next: string | undefined }>(undefined);
  return useQuery<Events>({
    queryKey: ['all-events', minutes, namespace, kind],
    queryFn: async ({ signal }) => {
      const begin = { chosen, events: [] as Events, next: undefined };
      let now = known.current?.chosen === chosen ? known.current : begin;
      const filter = { limit: 200, ...(namespace && { namespace }), ...(kind && { kind }) };
      for (;;) {
        const since = new Date(Date.now() - Number(minutes) * 60_000).toISOString();
        const query = now.next === undefined ? { ...filter, since } : { ...filter, next: now.next };
        const { items, next, more } = await ask('GET /v1/events', { query, signal });
        const seen = new Set(now.events.map(({ id }) => id));
        const fresh = items.filter(({ id }) => !seen.has(id));
        const events = keptEvents(now.events, fresh, since);
        now = { chosen, events, next: next ?? now.next };
        known.current = now;
        if (!more) return now.events;
      }
    },
    placeholderData: keepPreviousData,
    refetchInterval: paced<unknown>(() => calmFor(1)),
    structuralSharing: false,
  });
}
