/** `RollOutStore` on DynamoDB. */
import { RollOutClaims, type RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { RollOutStore } from '../ports.ts';
import { dueIn, followsStored, type Item, itemKeyOf, itemsIn, TableStore, type Write } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import {
  haltedRollOuts,
  type ItemKey,
  rollOutClaimsItem,
  rollOutItem,
  rollOutsOf,
  runningRollOuts,
} from './table-keys.ts';

export class DynamoRollOuts extends TableStore implements RollOutStore {
  async get(key: RollOutKey): Promise<RollOutRecord | undefined> {
    const item = await this.table.get(rollOutItem(key));
    return item && read(item);
  }

  async list(namespace: string, limit: number): Promise<readonly RollOutRecord[]> {
    const { items } = await this.table.query({
      ...itemsIn(rollOutItem({ namespace, id: '' }).pk, rollOutsOf),
      newestFirst: true,
      limit,
    });
    return readableOnes(items, read);
  }

  /** `together`: what is written with it, or not at all. */
  async put(record: RollOutRecord, together: readonly Write[] = []): Promise<void> {
    const duePartition = partitions[record.status];
    const index = duePartition !== undefined && { duePartition, dueAt: record.updatedAt };
    await this.#put({ ...rollOutItem(record), ...index }, record, { what: `roll-out ${record.id}`, together });
  }

  async quiet(before: string, limit: number): Promise<readonly RollOutRecord[]> {
    const { items } = await this.table.query({ ...dueIn(runningRollOuts, before), limit });
    // The index lags behind the table.
    const stored = readableOnes(await this.table.getAll(items.map(itemKeyOf)), read);
    return stored.filter(({ status, updatedAt }) => status === 'Running' && updatedAt <= before);
  }

  async halted(limit: number): Promise<readonly RollOutRecord[]> {
    const { items } = await this.table.query({ ...dueIn(haltedRollOuts), newestFirst: true, limit });
    const stored = readableOnes(await this.table.getAll(items.map(itemKeyOf)), read);
    return stored.filter(({ status }) => status === 'Halted');
  }

  async claims(namespace: string): Promise<RollOutClaims> {
    const item = await this.table.get(rollOutClaimsItem(namespace));
    if (item === undefined) return { namespace, version: 0, claims: [] };
    const what = `the claims of roll-outs in namespace ${namespace}`;
    return readJsonRecord(RollOutClaims, item.record, { what, format: item.format });
  }

  async putClaims(claims: RollOutClaims): Promise<void> {
    await this.#put(rollOutClaimsItem(claims.namespace), claims, {
      what: `the claims in namespace ${claims.namespace}`,
    });
  }

  async #put(
    key: ItemKey,
    record: { readonly version: number },
    { what, together = [] }: { readonly what: string; readonly together?: readonly Write[] },
  ): Promise<void> {
    const { version } = record;
    const item = { ...key, version, record: JSON.stringify(record) };
    const condition = followsStored('version', version);
    if (together.length === 0 && (await this.table.put(item, condition))) return;
    if (together.length > 0 && (await this.table.writeTogether([{ put: item, condition }, ...together]))) return;
    throw new PipelineError('VersionConflict', `${what} was changed meanwhile; read it again`);
  }
}

/** Where the `due` index has them, by status; the others are not in it. */
const partitions: Readonly<Partial<Record<RollOutRecord['status'], string>>> = {
  Running: runningRollOuts,
  Halted: haltedRollOuts,
};

function read({ pk, sk, record, format }: Item): RollOutRecord {
  const what = `roll-out ${String(sk).slice(rollOutsOf.length)} of namespace ${String(pk).split('#')[1]}`;
  return readJsonRecord(RollOutRecord, record, { what, format });
}
