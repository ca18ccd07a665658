/** The feed of all events in a page: the newest first of all, then what comes, and earlier ones when someone asks for them. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type AnswerTo, ask } from './api.ts';
import { calmFor } from './model/pace.ts';
import { paced } from './queries.ts';
import { askUnlessChanged } from './unless-changed.ts';

export type FeedEvents = AnswerTo<'GET /v1/events'>['items'];

interface ReadFeed {
  /** Oldest first. */
  readonly events: FeedEvents;
  /** From where older ones follow; undefined when all of the time are there. */
  readonly earlier: string | undefined;
  /** Where to continue with new events. */
  readonly follow: Readonly<Record<'since' | 'next', string | undefined>>;
}

interface FeedFilter {
  readonly namespace: string;
  /** Kinds with commas between; empty: all. */
  readonly kind: string;
  /** From so many ms ago on. */
  readonly ms: number;
}

/** As many as the API gives at once. */
const page = 200;
/** A filter that fits little leaves pages empty: so many are read before what there is is shown. */
const pagesAtOnce = 5;
/** So many are kept in the page; older ones leave it, and can be asked for again. */
const most = 2000;
/** Events may be stored so much later than they happened. */
const lateMs = 600_000;

/** `name`: of the page that shows it. */
export function useFeed(name: string, { namespace, kind, ms }: FeedFilter) {
  const client = useQueryClient();
  const queryKey = [name, namespace, kind, ms];
  const chosen = JSON.stringify(queryKey);
  const known = useRef<{ readonly chosen: string; readonly feed: ReadFeed }>(undefined);
  const [reads, setReads] = useState(false);
  const filter = { limit: page, ...(namespace && { namespace }), ...(kind && { kind }) };
  const since = (): string => new Date(Date.now() - ms).toISOString();
  const keep = (feed: ReadFeed): ReadFeed => {
    known.current = { chosen, feed };
    return feed;
  };
  const before = (): ReadFeed | undefined => (known.current?.chosen === chosen ? known.current.feed : undefined);
  const query = useQuery<ReadFeed>({
    queryKey,
    queryFn: async ({ signal }) => {
      const feed = before();
      if (feed) return keep(await read(feed, filter, since(), signal));
      const asked = new Date(Date.now() - lateMs).toISOString();
      const { found, earlier } = await readBack(filter, since(), undefined, signal);
      return keep({ events: found, earlier, follow: { since: found.at(-1)?.id ?? asked, next: undefined } });
    },
    placeholderData: keepPreviousData,
    refetchInterval: paced<unknown>(() => calmFor(1)),
    structuralSharing: false,
  });
  /** Those before the oldest that is there. */
  const readEarlier = async (): Promise<void> => {
    const feed = before();
    if (feed?.earlier === undefined || reads) return;
    setReads(true);
    try {
      const { found, earlier } = await readBack(filter, since(), feed.earlier);
      // Others may have come meanwhile.
      const now = before() ?? feed;
      client.setQueryData(queryKey, keep({ ...now, events: [...found, ...now.events], earlier }));
    } catch {
      // It is asked for again; the page says whether anything answers.
      await query.refetch();
    } finally {
      setReads(false);
    }
  };
  return { query, hasEarlier: query.data?.earlier !== undefined, reads, readEarlier };
}

type Filter = Readonly<Record<string, string | number>>;

/** Newest first, page by page, until there is one to show: oldest first. */
async function readBack(filter: Filter, since: string, from: string | undefined, signal?: AbortSignal) {
  const found: FeedEvents = [];
  let next = from;
  for (let pages = 0; pages < pagesAtOnce; pages += 1) {
    const query = { ...filter, order: 'newest', since, ...(next !== undefined && { next }) };
    const answer = await ask('GET /v1/events', { query, ...(signal && { signal }) });
    found.push(...answer.items);
    next = answer.more ? answer.next : undefined;
    if (next === undefined || found.length >= page / 2) break;
  }
  return { found: found.toReversed(), earlier: next };
}

/** What came since, as long as there is more. */
async function read(feed: ReadFeed, filter: Filter, since: string, signal: AbortSignal): Promise<ReadFeed> {
  let now = feed;
  for (;;) {
    const place = Object.entries(now.follow).filter(([, value]) => value !== undefined);
    const query = {
      ...filter,
      ...Object.fromEntries(now.follow.next === undefined ? place : [['next', now.follow.next]]),
    };
    const { items, next, more } = await askUnlessChanged('GET /v1/events', { query, signal });
    const seen = new Set(now.events.map(({ id }) => id));
    now = kept(
      now,
      items.filter(({ id }) => !seen.has(id)),
      since,
    );
    if (next !== undefined) now = { ...now, follow: { since: undefined, next } };
    if (!more) return now;
  }
}

/** The same array when nothing came and nothing is too old. */
function kept(feed: ReadFeed, fresh: FeedEvents, since: string): ReadFeed {
  const old = feed.events.findIndex(({ at }) => at >= since);
  if (fresh.length === 0 && old <= 0 && (old === 0 || feed.events.length === 0)) return feed;
  const all = [...(old === -1 ? [] : feed.events.slice(old)), ...fresh];
  const events = all.slice(-most);
  return { ...feed, events, earlier: events.length < all.length ? events[0]?.id : feed.earlier };
}
