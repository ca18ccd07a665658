/**
 * `EventFeed` on DynamoDB: items with numbers that have no gaps. The next one is written only where nothing is yet, so a
 * reader that has seen a number has seen all before it, also while others write.
 */
import { z } from 'zod';
import { type ManifestKey, RunEvent } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { EventFeed, StoredFeedEvent, StoredFeedPage } from '../ports.ts';
import { keepDays, keptUntil } from './dynamo-events.ts';
import { type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { feedItem, feedPartition, manifestOfEvents } from './table-keys.ts';

/** As DynamoDB writes it to a Lambda function; what is not an event of a manifest is passed over. */
const StreamBatch = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({ NewImage: z.record(z.string(), z.record(z.string(), z.unknown())).optional() }),
    }),
  ),
});

/** An event as a batch or an item of the feed has it. */
const Entry = z.object({
  namespace: z.string(),
  name: z.string(),
  /** Sort key of the event: it is the same event wherever it is the same. */
  key: z.string(),
  event: RunEvent,
});
type Entry = z.infer<typeof Entry>;
const Entries = z.array(Entry);

/** Most bytes of JSON in one item; DynamoDB allows 400 KB. */
const bytesOfItem = 200_000;
/** So many items in a row that are older than the events of a batch: those before them have none of it either. */
const searched = 20;
/** Events may be stored this much later than they happened without being missed by a reader that begins at a time. */
const latestMs = 600_000;

export class DynamoEventFeed extends TableStore implements EventFeed {
  async take(batch: unknown): Promise<readonly StoredFeedEvent[]> {
    const entries = entriesOf(batch);
    const there = new Map<string, string>();
    const note = (position: number, found: readonly Entry[]): void =>
      found.forEach((entry, place) => void there.set(identityOf(entry), idOf(position, place)));
    const oldest = entries.map(({ event }) => event.at).reduce((a, b) => (a < b ? a : b), '9');
    for (;;) {
      const newest = await this.#itemsSince(oldest);
      for (const item of newest) note(positionOf(item), entriesIn(item));
      const [first] = piecesOf(entries.filter((entry) => !there.has(identityOf(entry))));
      if (first === undefined) break;
      const position = newest[0] === undefined ? firstPosition(first) : positionOf(newest[0]) + 1;
      // Where another one was faster, the next look says what is left; a repeated request of our own finds its own item.
      const free = { expression: 'attribute_not_exists(#pk)' };
      if (await this.table.put(itemOf(position, first), free)) note(position, first);
    }
    return entries.map((entry) => feedEvent(there.get(identityOf(entry)) ?? '', entry));
  }

  async read(from: { readonly after?: string; readonly since?: string }, most: number): Promise<StoredFeedPage> {
    const after = from.after === undefined ? undefined : placeOf(from.after);
    const start = after?.position ?? (from.since === undefined ? 0 : await this.#positionAt(from.since));
    const found: StoredFeedEvent[] = [];
    let next: string | undefined;
    // The item of `after` has its own events, and one that cannot be read has none: the next one is looked for.
    do {
      const asked = { ...this.#from(start), limit: most + 1, ...(next !== undefined && { next }) };
      const page = await this.table.query(asked);
      for (const item of page.items) found.push(...eventsAfter(item, after));
      next = page.next;
    } while (next !== undefined && found.length <= most);
    return { items: found.slice(0, most), more: found.length > most };
  }

  async readBack(from: { readonly before?: string; readonly since?: string }, most: number): Promise<StoredFeedPage> {
    const before = from.before === undefined ? undefined : placeOf(from.before);
    const oldest = from.since === undefined ? '' : new Date(Date.parse(from.since) - latestMs).toISOString();
    const found: StoredFeedEvent[] = [];
    let next: string | undefined;
    do {
      const asked = { newestFirst: true, limit: most + 1, ...(next !== undefined && { next }) };
      const page = await this.table.query({
        ...(before ? this.#upTo(before.position) : itemsIn(feedPartition)),
        ...asked,
      });
      const wanted = page.items.filter(({ at }) => String(at ?? '') >= oldest);
      for (const item of wanted) found.push(...inFrontOf(item, before).toReversed());
      next = wanted.length < page.items.length ? undefined : page.next;
    } while (next !== undefined && found.length <= most);
    return { items: found.slice(0, most), more: found.length > most };
  }

  /** The first item from which on no event is missing that happened at that time or later: by halves, numbers have no gaps. */
  async #positionAt(since: string): Promise<number> {
    const wanted = new Date(Date.parse(since) - latestMs).toISOString();
    const [[oldest], [newest]] = await Promise.all([
      this.#items({ limit: 1 }),
      this.#items({ newestFirst: true, limit: 1 }),
    ]);
    if (oldest === undefined || newest === undefined) return 0;
    let low = positionOf(oldest);
    let high = positionOf(newest) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { items } = await this.table.query({ ...this.#from(middle), limit: 1 });
      if (String(items[0]?.at ?? '') < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The newest ones, back to where all are older: a batch that is delivered again, maybe after hours and many others, finds what it brought.
   * One that is delivered for the first time reads a page.
   */
  async #itemsSince(at: string): Promise<readonly Item[]> {
    const found: Item[] = [];
    let next: string | undefined;
    do {
      const about = { newestFirst: true, limit: searched, ...(next !== undefined && { next }) };
      const page = await this.table.query({ ...itemsIn(feedPartition), ...about });
      found.push(...page.items);
      next = page.items.some((item) => String(item.at ?? '') >= at) ? page.next : undefined;
    } while (next !== undefined);
    return found;
  }

  #from(position: number) {
    const sort = { expression: '#sk >= :from', values: { ':from': feedItem(position).sk } };
    return { ...itemsIn(feedPartition), sort };
  }

  #upTo(position: number) {
    const sort = { expression: '#sk <= :to', values: { ':to': feedItem(position).sk } };
    return { ...itemsIn(feedPartition), sort };
  }

  async #items(of: { readonly newestFirst?: boolean; readonly limit: number }): Promise<readonly Item[]> {
    return (await this.table.query({ ...itemsIn(feedPartition), ...of })).items;
  }
}

function entriesOf(batch: unknown): readonly Entry[] {
  return StreamBatch.parse(batch).Records.flatMap(({ eventName, dynamodb: { NewImage: image } }) => {
    const manifest = manifestOfEvents(String(image?.pk?.S ?? ''));
    if (eventName !== 'INSERT' || image === undefined || manifest === undefined) return [];
    const key = String(image.sk?.S ?? '');
    const what = `event ${key}`;
    return readableOnes([image], () => ({
      ...manifest,
      key,
      event: readJsonRecord(RunEvent, image.event?.S, { what }),
    }));
  });
}

/** Those of one item. One that a newer version wrote is read as far as it is known. */
function entriesIn({ sk, events, format }: Item): readonly Entry[] {
  return readableOnes([events], (json) => readJsonRecord(Entries, json, { what: `feed ${sk}`, format })).flat();
}

interface Place {
  readonly position: number;
  readonly place: number;
}

/** The events of an item after a place. */
function eventsAfter(item: Item, after: Place | undefined): readonly StoredFeedEvent[] {
  return eventsIn(item, (one) => after === undefined || compared(one, after) > 0);
}

/** The events of an item before a place. */
function inFrontOf(item: Item, before: Place | undefined): readonly StoredFeedEvent[] {
  return eventsIn(item, (one) => before === undefined || compared(one, before) < 0);
}

function eventsIn(item: Item, isMeant: (at: Place) => boolean): readonly StoredFeedEvent[] {
  const position = positionOf(item);
  return entriesIn(item).flatMap((entry, place) =>
    isMeant({ position, place }) ? [feedEvent(idOf(position, place), entry)] : [],
  );
}

const compared = (one: Place, other: Place): number => one.position - other.position || one.place - other.place;

function itemOf(position: number, entries: readonly Entry[]): Item {
  const at = entries.map(({ event }) => event.at).reduce((a, b) => (a > b ? a : b), '');
  return { ...feedItem(position), at, expireAt: keptUntil(at), events: JSON.stringify(entries) };
}

/** As many as an item takes, the first of them always. */
function piecesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const pieces: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (size > room) {
      pieces.push([]);
      room = bytesOfItem;
    }
    pieces.at(-1)?.push(entry);
    room -= size;
  }
  return pieces;
}

/**
 * For an empty feed, as it is when nothing happened for longer than events are kept: a position after every number that a
 * follower can still have.
 */
function firstPosition([entry]: readonly Entry[]): number {
  const windows = Math.floor(keptUntil(entry?.event.at ?? '') / (keepDays * 86_400));
  return (windows || 0) * 10_000_000_000 + 1;
}

const identityOf = ({ namespace, name, key }: Entry): string => `${namespace}#${name}#${key}`;
const positionOf = (item: Item): number => Number(item.sk);
const idOf = (position: number, place: number): string => `${position}.${place}`;
const feedEvent = (id: string, { namespace, name, event }: Entry): StoredFeedEvent => ({
  id,
  manifest: { namespace, name } satisfies ManifestKey,
  event,
});

function placeOf(id: string): Place {
  const [, position, place] = /^(\d{1,15})\.(\d{1,5})$/.exec(id) ?? [];
  if (position !== undefined && place !== undefined) return { position: Number(position), place: Number(place) };
  throw new PipelineError('InvalidInput', '`next` is not a cursor of this listing; leave it out to start again');
}
