/** `RollOutStore` on DynamoDB. */
import { RollOutClaims, type RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { RollOutStore } from '../ports.ts';
import { followsStored, type Item, itemsIn, TableStore, type Write } from './dynamo-table.ts';
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

  /** `together`: what is written with it, or not at all. */
  async put(record: RollOutRecord, together: readonly Write[] = []): Promise<void> {
    await this.#put(rollOutItem(record), record, { what: `roll-out ${record.id}`, together });
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

function read({ pk, sk, record, format }: Item): RollOutRecord {
  const what = `roll-out ${String(sk).slice(rollOutsOf.length)} of namespace ${String(pk).split('#')[1]}`;
  return readJsonRecord(RollOutRecord, record, { what, format });
}
