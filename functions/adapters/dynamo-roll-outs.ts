/** `RollOutStore` on DynamoDB. */
import { RollOutClaims, type RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { RollOutStore } from '../ports.ts';
import { followsStored, type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { type ItemKey, rollOutClaimsItem, rollOutItem, rollOutsOf } from './table-keys.ts';

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

  async put(record: RollOutRecord): Promise<void> {
    await this.#put(rollOutItem(record), record, `roll-out ${record.id}`);
  }

  async claims(namespace: string): Promise<RollOutClaims> {
    const item = await this.table.get(rollOutClaimsItem(namespace));
    if (item === undefined) return { namespace, version: 0, claims: [] };
    const what = `the claims of roll-outs in namespace ${namespace}`;
    return readJsonRecord(RollOutClaims, item.record, { what, format: item.format });
  }

  async putClaims(claims: RollOutClaims): Promise<void> {
    await this.#put(rollOutClaimsItem(claims.namespace), claims, `the claims in namespace ${claims.namespace}`);
  }

  async #put(key: ItemKey, record: { readonly version: number }, what: string): Promise<void> {
    const { version } = record;
    const item = { ...key, version, record: JSON.stringify(record) };
    if (await this.table.put(item, followsStored('version', version))) return;
    throw new PipelineError('VersionConflict', `${what} was changed meanwhile; read it again`);
  }
}

function read({ pk, sk, record, format }: Item): RollOutRecord {
  const what = `roll-out ${String(sk).slice(rollOutsOf.length)} of namespace ${String(pk).split('#')[1]}`;
  return readJsonRecord(RollOutRecord, record, { what, format });
}
