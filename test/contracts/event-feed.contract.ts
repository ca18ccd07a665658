/** What every `EventFeed` that reads the stream of a table promises. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '#contracts/records.ts';
import type { EventFeed, StoredFeedEvent } from '#functions/ports.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { anEvent, minute } from './builders.ts';

/** As DynamoDB gives it to Lambda. */
function streamBatch(
  events: readonly RunEvent[],
  { namespace = 'team', name = 'shop' }: { readonly namespace?: string; readonly name?: string } = {},
): { readonly Records: readonly object[] } {
  const image = (event: RunEvent) => ({
    pk: { S: `EVENTS#${namespace}#${name}` },
    sk: { S: `${event.at}#0000#${event.message}` },
    event: { S: JSON.stringify(event) },
  });
  return { Records: events.map((event) => ({ eventName: 'INSERT', dynamodb: { NewImage: image(event) } })) };
}

const messagesOf = (events: readonly StoredFeedEvent[]): readonly string[] => events.map(({ event }) => event.message);
const numbered = (from: number, count: number): readonly RunEvent[] =>
  Array.from({ length: count }, (_, n) => anEvent({ at: minute(from + n), message: `event ${from + n}` }));

/** All events after an id, page by page. */
async function rest(feed: EventFeed, after: string | undefined, limit: number): Promise<readonly StoredFeedEvent[]> {
  const found: StoredFeedEvent[] = [];
  for (let last = after; ; ) {
    const page = await feed.read(last === undefined ? {} : { after: last }, limit);
    found.push(...page.items);
    last = page.items.at(-1)?.id ?? last;
    if (!page.more) return found;
  }
}

/** `make` gives several feeds on one table: functions that work at the same time. */
export function eventFeedContract(name: string, make: (count: number) => readonly EventFeed[]): void {
  const one = (): EventFeed => make(1)[0] as EventFeed;

  describe(`EventFeed: ${name}`, () => {
    it('KA-14: events of several manifests have one order, page by page, and a reader can continue after each id', async () => {
      const feed = one();
      const first = await feed.take(streamBatch(numbered(0, 3)));
      await feed.take(streamBatch(numbered(3, 2), { namespace: 'other', name: 'web' }));
      const all = await rest(feed, undefined, 2);
      expect(messagesOf(all)).toEqual([0, 1, 2, 3, 4].map((n) => `event ${n}`));
      expect(all.slice(0, 3)).toEqual(first);
      expect(all.map(({ manifest }) => manifest.namespace)).toEqual(['team', 'team', 'team', 'other', 'other']);
      expect(messagesOf(await rest(feed, first[1]?.id, 50))).toEqual(['event 2', 'event 3', 'event 4']);
    });

    it('a batch that is delivered again changes nothing, and its events keep their ids', async () => {
      const feed = one();
      const batch = streamBatch(numbered(0, 4));
      const first = await feed.take(batch);
      await feed.take(streamBatch(numbered(4, 1)));
      expect(await feed.take(batch)).toEqual(first);
      expect(await rest(feed, undefined, 50)).toHaveLength(5);
    });

    it('a batch that is delivered again after many others changes nothing', async () => {
      const feed = one();
      const batch = streamBatch(numbered(0, 2));
      const first = await feed.take(batch);
      for (let n = 0; n < 45; n += 1) await feed.take(streamBatch(numbered(2 + n, 1)));
      expect(await feed.take(batch)).toEqual(first);
      expect(await rest(feed, undefined, 50)).toHaveLength(47);
    });

    it('the event feed ignores changes that are not new events of a manifest', async () => {
      const feed = one();
      const [record] = streamBatch(numbered(0, 1)).Records as readonly { dynamodb: object }[];
      const other = { eventName: 'INSERT', dynamodb: { NewImage: { pk: { S: 'MANIFESTS' }, sk: { S: 'team#shop' } } } };
      const removed = { eventName: 'REMOVE', dynamodb: {} };
      const broken = { eventName: 'INSERT', dynamodb: { NewImage: { pk: { S: 'EVENTS#team#shop' }, sk: { S: 'x' } } } };
      const records = [other, removed, broken, { ...record, eventName: 'MODIFY' }, record];
      expect(messagesOf(await feed.take({ Records: records }))).toEqual(['event 0']);
    });

    it('a reader that begins at a time misses no event of that time or later', async () => {
      const feed = one();
      for (let n = 0; n < 40; n += 1) await feed.take(streamBatch(numbered(n * 60, 2)));
      for (const hour of [0, 1, 17, 38, 39, 100]) {
        const { items } = await feed.read({ since: minute(hour * 60) }, 200);
        const later = items.filter(({ event }) => event.at >= minute(hour * 60));
        expect(later).toHaveLength(Math.max(0, 40 - hour) * 2);
        // By halves, not from the oldest on.
        expect(items.length - later.length).toBeLessThanOrEqual(2);
      }
    });

    it('the newest events are read first, page by page back to the oldest, or to a time', async () => {
      const feed = one();
      for (let n = 0; n < 12; n += 1) await feed.take(streamBatch(numbered(n * 60, 3)));
      const back = async (limit: number, since?: string): Promise<readonly StoredFeedEvent[]> => {
        const found: StoredFeedEvent[] = [];
        for (let before: string | undefined; ; before = found.at(-1)?.id) {
          const page = await feed.readBack({ ...(before && { before }), ...(since && { since }) }, limit);
          found.push(...page.items);
          if (!page.more) return found;
        }
      };
      const all = await rest(feed, undefined, 50);
      for (const limit of [1, 2, 5, 50]) expect(await back(limit)).toEqual(all.toReversed());
      const since = await back(4, minute(9 * 60));
      expect(since.filter(({ event }) => event.at >= minute(9 * 60))).toHaveLength(9);
      // Not all of them down to the oldest.
      expect(since.length).toBeLessThanOrEqual(12);
    });

    it('events of a large batch are in several items, and none is lost', async () => {
      const feed = one();
      const large = numbered(0, 12).map((event) => ({ ...event, message: `${event.message} ${'x'.repeat(60_000)}` }));
      await feed.take(streamBatch(large));
      expect(await rest(feed, undefined, 5)).toHaveLength(12);
    });

    it('an id that was invented is refused', async () => {
      await expect(one().read({ after: 'nonsense' }, 10)).rejects.toMatchObject({ name: 'InvalidInput' });
    });

    it('KA-14: nothing is lost or read twice across pages, while several functions write and batches come again', async () => {
      const plan = fc.record({
        batches: fc.array(fc.record({ size: fc.integer({ min: 1, max: 6 }), again: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        writers: fc.integer({ min: 1, max: 4 }),
        limits: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
      });
      await fc.assert(
        fc.asyncProperty(plan, async ({ batches, writers, limits }) => {
          const [reader, ...feeds] = make(writers + 1) as [EventFeed, ...EventFeed[]];
          let next = 0;
          const given = batches.map(({ size, again }) => {
            const events = numbered(next, size);
            next += size;
            return { batch: streamBatch(events), again };
          });
          let writing = true;
          const written = Promise.all(
            feeds.map(async (feed, writer) => {
              for (const { batch, again } of given.filter((_, place) => place % writers === writer)) {
                await feed.take(batch);
                if (again) await feed.take(batch);
              }
            }),
          ).finally(() => {
            writing = false;
          });
          const seen: StoredFeedEvent[] = [];
          for (let turn = 0; writing || turn === 0; turn += 1) {
            const last = seen.at(-1)?.id;
            const limit = limits[turn % limits.length] ?? 1;
            seen.push(...(await reader.read(last === undefined ? {} : { after: last }, limit)).items);
          }
          await written;
          seen.push(...(await rest(reader, seen.at(-1)?.id, 3)));
          expect([...messagesOf(seen)].sort()).toEqual([...numbered(0, next).map(({ message }) => message)].sort());
        }),
        { numRuns: propertyRuns(30) },
      );
    });
  });
}
