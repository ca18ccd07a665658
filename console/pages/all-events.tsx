/** What happened to everything that one may see, as it happens. */
import { useMemo, useRef } from 'react';
import { type FeedEvents, useFeed } from '../feed.ts';
import { commands } from '../model/commands.ts';
import { spans } from '../model/times.ts';
import { useNamespaces } from '../namespaces.ts';
import { Choice, TitledChoice } from '../parts/choice.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Earlier } from '../parts/earlier.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Loading, Trouble, Updated } from '../parts/states.tsx';
import { go, hrefOf } from '../routes.ts';

export default function AllEventsPage({ chosen }: { readonly chosen: Readonly<Record<string, string>> }) {
  const minutes = Object.keys(spans).find((span) => span === chosen.minutes) ?? '60';
  const { namespace = '', kind = '' } = chosen;
  const feed = useFeed('all-events', { namespace, kind, ms: Number(minutes) * 60_000 });
  const { query: events } = feed;
  const namespaces = useNamespaces();
  const kinds = useKinds(events.data?.events);
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
        <TitledChoice title="From the last" of={spans} value={minutes} choose={(value) => choose({ minutes: value })} />
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
        <>
          <Earlier of={feed} />
          <EventList events={events.data.events} follow tall />
        </>
      ) : events.error ? (
        <Trouble error={events.error} what="events" />
      ) : (
        <Loading what="events" />
      )}
    </>
  );
}

/** Kinds that were seen here, also before one of them was chosen. */
function useKinds(events: FeedEvents | undefined): readonly string[] {
  const seen = useRef(new Set<string>());
  return useMemo(() => {
    for (const { kind } of events ?? []) seen.current.add(kind);
    return [...seen.current];
  }, [events]);
}
