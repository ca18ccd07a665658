/**
 * `ManifestStore` on DynamoDB: generation and lease live in one item, the head, so that every decision is one conditional write. Documents
 * are items of their own; one that is new is written together with its head.
 */
import type { TemplatesAsked } from '#contracts/moved-templates.ts';
import type { Lease, ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { PipelineError } from '#domain/errors.ts';
import type {
  LeaseTerm,
  ManifestRemains,
  ManifestStore,
  ManifestVersion,
  SettledWith,
  StoredGeneration,
  StoredManifests,
} from '../manifest-store.ts';
import { dueItems } from './due-manifests.ts';
import { assigned, assignments, attributeNames } from './dynamo-expressions.ts';
import {
  type Condition,
  type DynamoTable,
  dueAfter,
  type Item,
  itemKeyOf,
  itemsIn,
  type Write,
} from './dynamo-table.ts';
import type { LargeDocuments } from './large-documents.ts';
import { createdHead, replaced, settled, started } from './manifest-changes.ts';
import { documentMissing, isWhole, ManifestDocuments } from './manifest-documents.ts';
import { leaseLost, notFound, versionConflict } from './manifest-errors.ts';
import { eachPage, orRemains, pageOfRead, readableHeads, readHead, readManifest } from './manifest-item.ts';
import { claimsOf, NameClaims } from './name-claims.ts';
import { dueManifests, manifestItem, manifestsOf } from './table-keys.ts';

/** The lease is flat in the item: its fence is the item's `fence`, the last one ever given. */
const held = 'attribute_exists(#leaseOwner) AND #fence = :fence';
const seenUnchanged = '#generation = :generation AND #attempt = :attempt';

export class DynamoManifests implements ManifestStore {
  readonly #table: DynamoTable;
  readonly #large: LargeDocuments;
  readonly #documents: ManifestDocuments;
  readonly #names: NameClaims;

  constructor(table: DynamoTable, large: LargeDocuments) {
    this.#table = table;
    this.#large = large;
    this.#documents = new ManifestDocuments(table, large);
    this.#names = new NameClaims(table);
  }

  async get(key: ManifestKey): Promise<ManifestRecord | undefined> {
    const head = await this.#table.get(manifestItem(key));
    return head && this.#whole(head);
  }

  async head(key: ManifestKey): Promise<ManifestHead | undefined> {
    const head = await this.#table.get(manifestItem(key));
    return head && readHead(head);
  }

  async remainsOf(key: ManifestKey): Promise<ManifestRemains | undefined> {
    const head = await this.#table.get(manifestItem(key));
    const read = head && (await orRemains(head, () => this.#whole(head)));
    return read && 'reason' in read ? read : undefined;
  }

  async discard(key: ManifestKey): Promise<void> {
    const { discardDocuments } = await import('./manifest-history.ts');
    await discardDocuments(this.#table, key);
    const left = await this.#table.get(manifestItem(key));
    await this.#table.writeTogether([{ remove: manifestItem(key) }, ...(await this.#names.removalsOf(left))]);
  }

  async ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, ManifestKey>> {
    await this.#names.claimStored(() => eachPage((next) => this.list(undefined, 200, next)));
    return this.#names.ownersOf(names);
  }

  async generations(key: ManifestKey): Promise<readonly StoredGeneration[]> {
    const head = await this.#table.get(manifestItem(key));
    if (!head) return [];
    const { storedGenerations } = await import('./manifest-history.ts');
    return storedGenerations(this.#table, this.#large, head);
  }

  /** `together`: what is written with it, or not at all. */
  async create(record: ManifestRecord, together: readonly Write[] = []): Promise<void> {
    const isNew = { put: createdHead(record), condition: { expression: 'attribute_not_exists(#pk)' } };
    const writes = [isNew, ...(await this.#documents.store(record)), ...claimsOf(record), ...together];
    if (await this.#table.writeTogether(writes)) return;
    await this.#names.refuseTaken(record);
    throw await this.#conflict(record, 'it exists already');
  }

  /** `together`: as of `create`. */
  async replace(
    record: ManifestHead | ManifestRecord,
    expected: ManifestVersion,
    together: readonly Write[] = [],
  ): Promise<void> {
    const isNew = 'document' in record && record.generation !== expected.generation;
    const ofDocument = isNew ? [...(await this.#documents.store(record)), ...claimsOf(record)] : [];
    const documents = [...ofDocument, ...together];
    if (await this.#replaceHead(record, expected, { documents })) return;
    const whole = await this.#table.get(manifestItem(record));
    if (whole && isWhole(whole) && whole.generation === expected.generation)
      if (await this.#replaceHead(record, expected, { documents: [this.#documents.move(whole), ...documents], whole }))
        return;
    if (isNew && whole?.generation === expected.generation) await this.#names.refuseTaken(record);
    throw await this.#conflict(record, `generation ${expected.generation} is no longer the newest`);
  }

  /** `whole`: the head as an earlier release wrote it, with a document that is moved. */
  async #replaceHead(
    record: ManifestHead | ManifestRecord,
    expected: ManifestVersion,
    { documents, whole }: { readonly documents: readonly Write[]; readonly whole?: Item },
  ): Promise<boolean> {
    const change = replaced(record, {
      withChecksum: record.generation !== expected.generation,
      isWhole: whole !== undefined,
    });
    const layout = `${whole ? 'attribute_exists' : 'attribute_not_exists'}(#document)`;
    const { generation, attempt, checks } = expected;
    const counted = checks === 0 ? 'attribute_not_exists(#checks)' : '#checks = :seenChecks';
    const condition = {
      expression: `#generation = :seenGeneration AND #attempt = :seenAttempt AND ${layout}${checks === undefined ? '' : ` AND ${counted}`}`,
      values: {
        ':seenGeneration': generation,
        ':seenAttempt': attempt,
        ...(checks !== undefined && checks > 0 && { ':seenChecks': checks }),
      },
    };
    const update = manifestItem(record);
    if (documents.length === 0) return (await this.#table.update(update, change, condition)) !== undefined;
    return this.#table.writeTogether([{ update, change, condition }, ...documents]);
  }

  async setPaused(key: ManifestKey, paused: boolean): Promise<ManifestHead> {
    return this.#note(key, { paused: paused || undefined });
  }

  async requestCancel(key: ManifestKey, runId: string, dueAt: string): Promise<ManifestHead> {
    return this.#note(key, { cancelRequested: runId, dueAt, duePartition: dueManifests });
  }

  async askForTemplates(key: ManifestKey, templatesAsked: TemplatesAsked, dueAt?: string): Promise<void> {
    await this.#note(key, { templatesAsked, ...(dueAt && { dueAt, duePartition: dueManifests }) });
  }

  async takeLease(
    key: ManifestKey,
    owner: string,
    term: LeaseTerm,
  ): Promise<{ lease: Lease; record: ManifestHead } | undefined> {
    const values = { leaseOwner: owner, leaseExpiresAt: term.expiresAt, duePartition: dueManifests, dueAt: term.dueAt };
    const change = {
      expression: `${assignments(values)}, #fence = #fence + :one`,
      values: { ...attributeNames(values), ':one': 1 },
    };
    const free = 'attribute_not_exists(#leaseOwner) OR #leaseOwner = :leaseOwner OR #leaseExpiresAt < :now';
    const condition = { expression: `attribute_exists(#pk) AND (${free})`, values: { ':now': term.now } };
    const item = await this.#table.update(manifestItem(key), change, condition);
    if (item) {
      const record = readHead(item);
      return { lease: record.lease ?? { owner, fence: record.fence, expiresAt: term.expiresAt }, record };
    }
    if (await this.#table.get(manifestItem(key))) return undefined;
    throw notFound(key);
  }

  async renewLease(key: ManifestKey, fence: number, term: LeaseTerm): Promise<void> {
    const values = { leaseExpiresAt: term.expiresAt, duePartition: dueManifests, dueAt: term.dueAt };
    await this.#whileHeld(key, fence, { expression: assignments(values), values: attributeNames(values) });
  }

  async begin(key: ManifestKey, fence: number, at: string): Promise<ManifestRecord> {
    const condition = {
      expression: `${held} AND #deleting = :deleting`,
      values: attributeNames({ fence, deleting: false }),
    };
    const head =
      (await this.#table.update(manifestItem(key), started('Running', at), condition)) ??
      (await this.#whileHeld(key, fence, started('Deleting', at)));
    const record = await this.#whole(head);
    // One that was created again under the same name counts its fences from 1 again.
    if (record?.lease?.fence === fence && record.uid === head.uid) return record;
    throw leaseLost(key, fence);
  }

  async settle(
    key: ManifestKey,
    fence: number,
    seen: ManifestVersion,
    status: ManifestRecord['status'],
    at: string,
    also: SettledWith = {},
  ): Promise<'settled' | 'newer'> {
    const condition = { expression: `${held} AND ${seenUnchanged}`, values: attributeNames({ fence, ...seen }) };
    const head = await this.#table.update(manifestItem(key), settled(status, at, also), condition);
    if (head === undefined) return this.#newerOrLost(key, fence);
    if (status === 'Done' && also.failed === undefined) await this.#names.releaseLeft(head, also.served);
    return 'settled';
  }

  async releaseLease(key: ManifestKey, owner: string): Promise<ManifestHead | undefined> {
    const change = { expression: 'REMOVE #leaseOwner, #leaseExpiresAt, #leaseCost' };
    const condition = { expression: '#leaseOwner = :owner', values: { ':owner': owner } };
    const item = await this.#table.update(manifestItem(key), change, condition);
    return item ? readHead(item) : this.head(key);
  }

  async remove(key: ManifestKey, fence: number, generation: number): Promise<'settled' | 'newer'> {
    const condition = {
      expression: `${held} AND #generation = :generation AND #deleting = :deleting`,
      values: attributeNames({ fence, generation, deleting: true }),
    };
    // Together: a manifest that is created again at once has a document under the same key.
    const names = await this.#names.removalsOf(await this.#table.get(manifestItem(key)));
    const writes = [{ remove: manifestItem(key), condition }, ...this.#documents.remove(key, generation), ...names];
    return (await this.#table.writeTogether(writes)) ? 'settled' : this.#newerOrLost(key, fence);
  }

  async list(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests> {
    const page = await this.#page(namespace, limit, next);
    const documentOf = await this.#documents.ofAll(page.items);
    const read = page.items.map((head) =>
      orRemains(head, async () => {
        const found = await documentOf(head);
        return found ? readManifest(head, found.document) : this.#whole(head);
      }),
    );
    return pageOfRead(await Promise.all(read), page.next);
  }

  async listHeads(namespace: string | undefined, limit: number, next?: string): Promise<StoredManifests<ManifestHead>> {
    const page = await this.#page(namespace, limit, next);
    const read = page.items.map((head) => orRemains(head, async () => readHead(head)));
    return pageOfRead(await Promise.all(read), page.next);
  }

  #page(namespace: string | undefined, limit: number, next?: string): ReturnType<DynamoTable['query']> {
    const { pk } = manifestItem({ namespace: '', name: '' });
    return this.#table.query({
      ...itemsIn(pk, namespace === undefined ? undefined : manifestsOf(namespace)),
      limit,
      ...(next === undefined ? {} : { next }),
    });
  }

  async due(
    now: string,
    limit: number,
    report?: (unreadable: PipelineError) => void,
  ): Promise<readonly ManifestHead[]> {
    return readableHeads(await dueItems(this.#table, now, limit), report);
  }

  async atWork(now: string, limit: number): Promise<number> {
    return (await this.#table.query({ ...dueAfter(dueManifests, now), limit })).items.length;
  }

  async #note(key: ManifestKey, values: Item): Promise<ManifestHead> {
    const item = await this.#table.update(manifestItem(key), assigned(values), { expression: 'attribute_exists(#pk)' });
    if (item) return readHead(item);
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
    const { leaseOwner, fence: last } = (await this.#table.get(manifestItem(key))) ?? {};
    if (leaseOwner !== undefined && last === fence) return 'newer';
    throw leaseLost(key, fence);
  }

  async #conflict(key: ManifestKey, why: string): Promise<PipelineError> {
    return versionConflict(key, why, await this.#table.get(manifestItem(key)));
  }

  /** With its document; undefined when it was removed since the head was read. Throws `Unreadable`. */
  async #whole(head: Item): Promise<ManifestRecord | undefined> {
    const found = await this.#documents.of(head);
    if (found) return readManifest(head, found.document);
    const now = await this.#table.get(itemKeyOf(head));
    if (now === undefined) return undefined;
    if (now.generation === head.generation && now.checksum === head.checksum) throw documentMissing(head);
    return this.#whole(now);
  }
}
