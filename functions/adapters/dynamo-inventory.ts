/** `InventoryStore` on DynamoDB. Documents are text: a map of the data base does not keep the order of its keys. */
import { type InventoryKey, InventoryRecord } from '#contracts/inventory.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InventoryStore } from '../ports.ts';
import { followsStored, type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readJsonRecord } from './stored-record.ts';
import { inventoryItem } from './table-keys.ts';

export class DynamoInventory extends TableStore implements InventoryStore {
  async get(key: InventoryKey): Promise<InventoryRecord | undefined> {
    const item = await this.table.get(inventoryItem(key));
    return item && read(item);
  }

  async list(namespace: string, kind?: InventoryKey['kind']): Promise<readonly InventoryRecord[]> {
    const { pk, sk } = inventoryItem({ namespace, kind: kind ?? 'InventoryLayer', name: '' });
    return (await this.table.queryAll(itemsIn(pk, kind && sk))).map(read);
  }

  async put(record: InventoryRecord): Promise<void> {
    const { generation, kind, name } = record;
    const item = { ...inventoryItem(record), generation, record: JSON.stringify(record) };
    if (await this.table.put(item, followsStored('generation', generation))) return;
    throw new PipelineError('VersionConflict', `${kind} ${name} was changed by someone else meanwhile; read it again`);
  }

  async remove(key: InventoryKey): Promise<void> {
    await this.table.remove(inventoryItem(key));
  }
}

function read({ pk, sk, record, format }: Item): InventoryRecord {
  const [kind, name] = String(sk).split('#');
  const what = `${kind} ${name} of namespace ${String(pk).split('#')[1]}`;
  return readJsonRecord(InventoryRecord, record, { what, format });
}
