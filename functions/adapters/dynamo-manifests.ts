/** `ManifestStore` on DynamoDB: generation and lease live in one item, so that every decision is one conditional write. */
import { type Lease, type ManifestKey, type ManifestRecord, Origin } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { LeaseTerm, ManifestRemains, ManifestStore, StoredGeneration, StoredManifests } from '../ports.ts';
import { assigned, assignments, attributeNames } from './dynamo-expressions.ts';
import { type Condition, type DynamoTable, dueIn, type Item, itemKeyOf, itemsIn } from './dynamo-table.ts';
import { documentPrefix, type LargeDocuments } from './large-documents.ts';
import { asFault, leaseLost, notFound } from './manifest-errors.ts';
import { nameOf, readManifest, remainsOf } from './manifest-item.ts';
import { readRecord } from './stored-record.ts';
import {
  documentItem,
  documentsOf,
  dueChecks,
  dueManifests,
  generationOf,
  manifestItem,
  manifestPartition,
  manifestsOf,
  partitionOf,
} from './table-keys.ts';

/** The lease is flat in the item: its fence is the item's `fence`, the last one ever given. */
const held = 'attribute_exists(#leaseOwner) AND #fence = :fence';
const seenUnchanged = '#generation = :generation AND #attempt = :attempt';
/** Documents of so many generations before the newest are kept. */
const keptGenerations = 10;

export class DynamoManifests implements ManifestStore {
  readonly #table: DynamoTable;
  readonly #documents: LargeDocuments;

  constructor(table: DynamoTable, documents: LargeDocuments) {
    this.#table = table;
    this.#documents = documents;
  }

  async get(key: ManifestKey): Promise<ManifestRecord | undefined> {
    const item = await this.#table.get(manifestItem(key));
    return item && this.#read(item);
  }

  async remainsOf(key: ManifestKey): Promise<ManifestRemains | undefined> {
    const item = await this.#table.get(manifestItem(key));
    const read = item && (await this.#readOrRemains(item));
    return read && 'reason' in read ? read : undefined;
  }

  async discard(key: ManifestKey): Promise<void> {
    await this.#table.removeAll(await this.#keptDocuments(key));
    await this.#table.remove(manifestItem(key));
  }

  async generations(key: ManifestKey): Promise<readonly StoredGeneration[]> {
    const item = await this.#table.get(manifestItem(key));
    if (!item) return [];
    const kept = await this.#keptDocuments(key);
    // A document that a late writer stored as an old one is again the newest one.
    const earlier = kept.map((each) => ({ ...each, generation: generationOf(each) }));
    const all = [item, ...earlier.filter(({ generation }) => generation < Number(item.generation))];
    const what = nameOf(item);
    const read = all.map(async ({ generation, document, origin, format }: Item) => ({
      generation: Number(generation),
      document: await this.#documents.read(document, what),
      ...(origin !== undefined && { origin: readRecord(Origin, origin, { what, format }) }),
    }));
    return (await Promise.all(read)).toSorted((a, b) => b.generation - a.generation);
  }

  #keptDocuments(key: ManifestKey): Promise<readonly Item[]> {
    return this.#table.queryAll(itemsIn(manifestPartition(key), documentsOf));
  }

  async create(record: ManifestRecord): Promise<void> {
    const { lease, document, dueAt, ...plain } = record;
    const item = {
      ...manifestItem(record),
      ...plain,
      document: await this.#documents.keep(documentPrefix(record.namespace, record.name), document),
      ...(dueAt !== undefined && { duePartition: partitionOf(record.status), dueAt }),
      ...(lease && { leaseOwner: lease.owner, leaseExpiresAt: lease.expiresAt }),
    };
    if (await this.#table.put(item, { expression: 'attribute_not_exists(#pk)' })) return;
    throw await this.#conflict(record, 'it exists already');
  }

  async replace(record: ManifestRecord, expected: { generation: number; attempt: number }): Promise<void> {
    if (record.generation !== expected.generation) await this.#archive(record, expected.generation);
    const { document, checksum, generation, attempt, status, runId, deleting, updatedAt, origin, check, plan } = record;
    const kept = await this.#documents.keep(documentPrefix(record.namespace, record.name), document);
    const { retryFrom, retries, orphans, dueAt, templates, templateSecrets, templatesSeen, planes, checks } = record;
    const change = assigned({
      ...{ document: kept, origin, checksum, generation, attempt, status, runId, deleting, updatedAt },
      ...{ retryFrom, retries, orphans, templates, templateSecrets, templatesSeen, planes, check, plan },
      ...(checks !== undefined && { checks }),
      ...{ dueAt, duePartition: dueAt === undefined ? undefined : partitionOf(status) },
    });
    const condition = {
      expression: '#generation = :seenGeneration AND #attempt = :seenAttempt',
      values: { ':seenGeneration': expected.generation, ':seenAttempt': expected.attempt },
    };
    if (await this.#table.update(manifestItem(record), change, condition)) return;
    throw await this.#conflict(record, `generation ${expected.generation} is no longer the newest`);
  }

  async setPaused(key: ManifestKey, paused: boolean): Promise<ManifestRecord> {
    return this.#note(key, { paused: paused || undefined });
  }

  async requestCancel(key: ManifestKey, runId: string, dueAt: string): Promise<ManifestRecord> {
    return this.#note(key, { cancelRequested: runId, dueAt, duePartition: dueManifests });
  }

  async takeLease(
    key: ManifestKey,
    owner: string,
    term: LeaseTerm,
  ): Promise<{ lease: Lease; record: ManifestRecord } | undefined> {
    const values = { leaseOwner: owner, leaseExpiresAt: term.expiresAt, duePartition: dueManifests, dueAt: term.dueAt };
    const change = {
      expression: `${assignments(values)}, #fence = #fence + :one`,
      values: { ...attributeNames(values), ':one': 1 },
    };
    const free = 'attribute_not_exists(#leaseOwner) OR #leaseOwner = :leaseOwner OR #leaseExpiresAt < :now';
    const condition = { expression: `attribute_exists(#pk) AND (${free})`, values: { ':now': term.now } };
    const item = await this.#table.update(manifestItem(key), change, condition);
    if (item) {
      const record = await this.#read(item);
      return { lease: { owner, fence: record.fence, expiresAt: term.expiresAt }, record };
    }
    if (await this.#table.get(manifestItem(key))) return undefined;
    throw notFound(key);
  }

  async renewLease(key: ManifestKey, fence: number, term: LeaseTerm): Promise<void> {
    const values = { leaseExpiresAt: term.expiresAt, duePartition: dueManifests, dueAt: term.dueAt };
    const change = { expression: assignments(values), values: attributeNames(values) };
    await this.#whileHeld(key, fence, change);
  }

  async begin(key: ManifestKey, fence: number, at: string): Promise<ManifestRecord> {
    const values = { status: 'Running', updatedAt: at };
    const change = { expression: assignments(values), values: attributeNames(values) };
    const condition = {
      expression: `${held} AND #deleting = :deleting`,
      values: attributeNames({ fence, deleting: false }),
    };
    const item = await this.#table.update(manifestItem(key), change, condition);
    if (item) return this.#read(item);
    const deletion = { status: 'Deleting', updatedAt: at };
    return this.#read(
      await this.#whileHeld(key, fence, { expression: assignments(deletion), values: attributeNames(deletion) }),
    );
  }

  async settle(
    key: ManifestKey,
    fence: number,
    seen: { generation: number; attempt: number },
    status: ManifestRecord['status'],
    at: string,
    dueAt?: string,
  ): Promise<'settled' | 'newer'> {
    const due = dueAt === undefined ? {} : { dueAt, duePartition: partitionOf(status) };
    const change = assigned({
      ...{ status, updatedAt: at, leaseOwner: undefined, leaseExpiresAt: undefined },
      ...{ dueAt: undefined, duePartition: undefined, ...due, ...(status === 'Done' && { retries: undefined }) },
    });
    const condition = { expression: `${held} AND ${seenUnchanged}`, values: attributeNames({ fence, ...seen }) };
    if (await this.#table.update(manifestItem(key), change, condition)) return 'settled';
    return this.#newerOrLost(key, fence);
  }

  async releaseLease(key: ManifestKey, owner: string): Promise<ManifestRecord | undefined> {
    const change = { expression: 'REMOVE #leaseOwner, #leaseExpiresAt' };
    const condition = { expression: '#leaseOwner = :owner', values: { ':owner': owner } };
    const item = await this.#table.update(manifestItem(key), change, condition);
    return item ? this.#read(item) : this.get(key);
  }

  async remove(key: ManifestKey, fence: number, generation: number): Promise<'settled' | 'newer'> {
    const condition = {
      expression: `${held} AND #generation = :generation AND #deleting = :deleting`,
      values: attributeNames({ fence, generation, deleting: true }),
    };
    if (!(await this.#table.remove(manifestItem(key), condition))) return this.#newerOrLost(key, fence);
    const oldest = Math.max(1, generation - keptGenerations);
    const kept = Array.from({ length: generation - oldest }, (_, place) => documentItem(key, oldest + place));
    await Promise.all(kept.map((item) => this.#table.remove(item)));
    return 'settled';
  }

  async list(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests> {
    const { pk } = manifestItem({ namespace: '', name: '' });
    const page = await this.#table.query({
      ...itemsIn(pk, namespace === undefined ? undefined : manifestsOf(namespace)),
      limit,
      ...(next === undefined ? {} : { next }),
    });
    const read = await Promise.all(page.items.map((item) => this.#readOrRemains(item)));
    const items = read.flatMap((one) => ('reason' in one ? [] : [one]));
    const unreadable = read.flatMap((one) => ('reason' in one ? [one] : []));
    return { items, unreadable, ...(page.next === undefined ? {} : { next: page.next }) };
  }

  async due(
    now: string,
    limit: number,
    report?: (unreadable: PipelineError) => void,
  ): Promise<readonly ManifestRecord[]> {
    const { items: waiting } = await this.#table.query({ ...dueIn(dueManifests, now), limit });
    const room = limit - waiting.length;
    const { items: checks } =
      room > 0 ? await this.#table.query({ ...dueIn(dueChecks, now), limit: room }) : { items: [] };
    // The index lags behind the table: what has settled, or was prolonged, since then is not due.
    const items = (await this.#table.getAll([...waiting, ...checks].map(itemKeyOf))).filter(
      ({ dueAt }) => dueAt !== undefined && String(dueAt) <= now,
    );
    const read = await Promise.allSettled(items.map((item) => this.#read(item)));
    return read.flatMap((outcome, index) => {
      if (outcome.status === 'fulfilled') return [outcome.value];
      if (report === undefined) throw outcome.reason;
      report(asFault(items[index], outcome.reason));
      return [];
    });
  }

  /**
   * Stores the document of the generation that is about to be replaced as an old one. A generation has one document for
   * ever: another writer that is faster does no harm.
   */
  async #archive(key: ManifestKey, generation: number): Promise<void> {
    const item = await this.#table.get(manifestItem(key));
    if (item?.generation !== generation) return;
    const { document, origin } = item;
    await this.#table.put({ ...documentItem(key, generation), document, ...(origin !== undefined && { origin }) });
    if (generation > keptGenerations) await this.#table.remove(documentItem(key, generation - keptGenerations));
  }

  async #note(key: ManifestKey, values: Item): Promise<ManifestRecord> {
    const item = await this.#table.update(manifestItem(key), assigned(values), { expression: 'attribute_exists(#pk)' });
    if (item) return this.#read(item);
    throw notFound(key);
  }

  async #whileHeld(key: ManifestKey, fence: number, change: Condition): Promise<Item> {
    const item = await this.#table.update(manifestItem(key), change, {
      expression: held,
      values: attributeNames({ fence }),
    });
    if (item) return item;
    throw leaseLost(key, fence);
  }

  async #newerOrLost(key: ManifestKey, fence: number): Promise<'newer'> {
    const item = await this.#table.get(manifestItem(key));
    if (item?.leaseOwner !== undefined && item.fence === fence) return 'newer';
    throw leaseLost(key, fence);
  }

  async #conflict(key: ManifestKey, why: string): Promise<PipelineError> {
    const item = await this.#table.get(manifestItem(key));
    const details = { generation: Number(item?.generation ?? 0), attempt: Number(item?.attempt ?? 0) };
    const existing = item
      ? `generation ${details.generation}, attempt ${details.attempt} is stored`
      : 'it is not stored';
    const message = `manifest ${key.namespace}/${key.name}: ${why}; ${existing}`;
    return new PipelineError('VersionConflict', message, { details });
  }

  async #read(item: Item): Promise<ManifestRecord> {
    return readManifest(item, await this.#documents.readShared(item.document, nameOf(item)));
  }

  async #readOrRemains(item: Item): Promise<ManifestRecord | ManifestRemains> {
    try {
      return await this.#read(item);
    } catch (error) {
      if (!isPipelineError(error, 'Unreadable')) throw error;
      return remainsOf(item, error.message);
    }
  }
}
