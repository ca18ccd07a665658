/** Everything that happened to one manifest, newest page first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ask } from '../api.ts';
import { commands } from '../model/commands.ts';
import type { TabProps } from '../model/tab.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Loading, Trouble } from '../parts/states.tsx';

export default function EventsTab({ of }: TabProps) {
  const pages = useInfiniteQuery({
    queryKey: ['events', of.namespace, of.name],
    queryFn: ({ pageParam, signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/events', {
        params: { ...of },
        query: { limit: 200, ...(pageParam !== undefined && { next: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ items, next }) => (items.length === 200 ? next : undefined),
  });
  const events = pages.data?.pages.flatMap(({ items }) => items);
  if (!events) return pages.error ? <Trouble error={pages.error} what="events" /> : <Loading what="events" />;
  return (
    <>
      <p>
        <CopyCommand command={commands.events(of)} />
      </p>
      <EventList events={events} tall />
      {pages.hasNextPage && (
        <button type="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Later events
        </button>
      )}
    </>
  );
}
