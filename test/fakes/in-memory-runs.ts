/** `RunStore`, `EventStore` and `EventFeed` in memory. */
import type { ManifestKey, RunEvent, RunRecord, StoredEvent } from '#contracts/records.ts';
import type { Page } from '#functions/page.ts';
import type { EventBus, EventFeed, EventStore, RunStore, StoredFeedEvent, StoredFeedPage } from '#functions/ports.ts';
import { cursorOf, pageOf } from './page-of.ts';

const idOf = (key: ManifestKey): string => `${key.namespace}#${key.name}`;

export class InMemoryRuns implements RunStore {
  readonly #runs = new Map<string, Map<string, RunRecord>>();

  async get(key: ManifestKey, runId: string): Promise<RunRecord | undefined> {
    return structuredClone(this.#runs.get(idOf(key))?.get(runId));
  }

  async put(record: RunRecord): Promise<void> {
    const id = idOf({ namespace: record.namespace, name: record.manifest });
    const runs = this.#runs.get(id) ?? new Map<string, RunRecord>();
    this.#runs.set(id, runs.set(record.runId, structuredClone(record)));
  }

  async list(key: ManifestKey, limit: number, next?: string): Promise<Page<RunRecord>> {
    const runs = [...(this.#runs.get(idOf(key))?.values() ?? [])];
    return pageOf(
      runs.sort((a, b) => b.queuedAt.localeCompare(a.queuedAt)),
      limit,
      next,
    );
  }
}

/** Events of all manifests, as they are appended: the stream of a table has no delay here. */
export class InMemoryFeed implements EventFeed {
  readonly #all: StoredFeedEvent[] = [];

  add(manifest: ManifestKey, events: readonly RunEvent[]): void {
    for (const event of events) this.#all.push({ id: `${this.#all.length + 1}.0`, manifest, event });
  }

  async take(): Promise<readonly StoredFeedEvent[]> {
    throw new Error('there is no stream in memory');
  }

  async read({ after, since }: { after?: string; since?: string }, most: number): Promise<StoredFeedPage> {
    const from = after === undefined ? 0 : Number(after.split('.')[0]);
    const rest = this.#all.slice(from).filter(({ event }) => after !== undefined || event.at >= (since ?? ''));
    return { items: structuredClone(rest.slice(0, most)), more: rest.length > most };
  }

  async readBack({ before, since }: { before?: string; since?: string }, most: number): Promise<StoredFeedPage> {
    const to = before === undefined ? this.#all.length : Number(before.split('.')[0]) - 1;
    const rest = this.#all.slice(0, to).filter(({ event }) => event.at >= (since ?? ''));
    return { items: structuredClone(rest.toReversed().slice(0, most)), more: rest.length > most };
  }
}

/** Keeps what is published. */
export class RecordedBus implements EventBus {
  readonly published: StoredFeedEvent[] = [];

  async publish(events: readonly StoredFeedEvent[]): Promise<void> {
    this.published.push(...structuredClone(events));
  }
}

export class InMemoryEvents implements EventStore {
  readonly #feed: InMemoryFeed;
  readonly #events = new Map<string, { order: string; event: RunEvent }[]>();

  constructor(feed = new InMemoryFeed()) {
    this.#feed = feed;
  }

  async append(key: ManifestKey, events: readonly RunEvent[]): Promise<void> {
    const kept = this.#events.get(idOf(key)) ?? [];
    const added = events.map((event, place) => ({
      order: `${event.at}#${String(place).padStart(4, '0')}#${JSON.stringify(event)}`,
      event: structuredClone(event),
    }));
    const fresh = added.filter(({ order }) => !kept.some((there) => there.order === order));
    this.#feed.add(
      key,
      fresh.map(({ event }) => event),
    );
    this.#events.set(
      idOf(key),
      [...kept, ...fresh].sort((a, b) => (a.order < b.order ? -1 : 1)),
    );
  }

  readonly #marks = new Set<string>();

  async appendOnce(key: ManifestKey, mark: string, event: RunEvent): Promise<void> {
    const place = `${idOf(key)} ${mark}`;
    if (!this.#marks.has(place)) await this.append(key, [event]);
    this.#marks.add(place);
  }

  async list(key: ManifestKey, limit: number, next?: string): Promise<Page<StoredEvent>> {
    const events = (this.#events.get(idOf(key)) ?? []).map(({ order, event }) => ({ id: order, ...event }));
    const isTime = next !== undefined && /^\d{4}-.*Z$/.test(next);
    const from = isTime ? events.filter(({ at }) => at < next).length : cursorOf(next);
    const items = structuredClone(events.slice(from, from + limit));
    const follow = items.length > 0 ? String(from + items.length) : next;
    return { items, ...(follow === undefined ? {} : { next: follow }) };
  }
}
