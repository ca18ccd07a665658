/** `EventStore` on DynamoDB. An event's key is made of its time and content, so appending it twice keeps it once. */
import { createHash } from 'node:crypto';
import { type ManifestKey, RunEvent, type StoredEvent } from '#contracts/records.ts';
import type { Page } from '../page.ts';
import type { EventStore } from '../ports.ts';
import { cursorTo, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { eventPartition, readingItem } from './table-keys.ts';

/** For so long events are kept. */
export const keepDays = 90;

/** Epoch seconds until which an event of that time is kept. */
export const keptUntil = (at: string): number => Math.floor(Date.parse(at) / 1000) + keepDays * 86_400;

/** In UTC, as events have it: keys begin with theirs. */
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

export class DynamoEvents extends TableStore implements EventStore {
  async append(key: ManifestKey, events: readonly RunEvent[]): Promise<void> {
    const items = events.map((event, place) => {
      const json = JSON.stringify(event);
      const hash = createHash('sha256').update(json).digest('hex').slice(0, 12);
      return {
        pk: eventPartition(key),
        sk: `${event.at}#${String(place).padStart(4, '0')}#${hash}`,
        expireAt: keptUntil(event.at),
        event: json,
      };
    });
    await this.table.putAll(items);
  }

  /** The mark comes last: an event is rather there twice than not at all. */
  async appendOnce(key: ManifestKey, mark: string, event: RunEvent): Promise<void> {
    const item = readingItem(key, mark);
    if ((await this.table.get(item)) !== undefined) return;
    await this.append(key, [event]);
    await this.table.putAll([{ ...item, expireAt: Math.floor(Date.parse(event.at) / 1000) + 86_400 }]);
  }

  async list(key: ManifestKey, limit: number, next?: string): Promise<Page<StoredEvent>> {
    const page = await this.table.query({
      ...itemsIn(eventPartition(key)),
      limit,
      ...(next === undefined ? {} : { next: isTime(next) ? cursorTo({ pk: eventPartition(key), sk: next }) : next }),
    });
    const items = readableOnes(page.items, ({ sk, event, format }) => ({
      id: String(sk).replaceAll('#', '.'),
      ...readJsonRecord(RunEvent, event, { what: `event ${sk}`, format }),
    }));
    const follow = page.last ?? next;
    return { items, ...(follow === undefined ? {} : { next: follow }) };
  }
}
