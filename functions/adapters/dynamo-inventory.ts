/** `InventoryStore` on DynamoDB. Documents are text: a map of the data base does not keep the order of its keys. */
import { type InventoryKey, InventoryRecord } from '#contracts/inventory.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InventoryStore } from '../inventory-store.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { readJsonRecord } from './stored-record.ts';
import { inventoryItem } from './table-keys.ts';

export class DynamoInventory implements InventoryStore {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async get(key: InventoryKey): Promise<InventoryRecord | undefined> {
    const item = await this.#table.get(inventoryItem(key));
    return item && read(item);
  }

  async list(namespace: string, kind?: InventoryKey['kind']): Promise<readonly InventoryRecord[]> {
    const { pk, sk } = inventoryItem({ namespace, kind: kind ?? 'InventoryLayer', name: '' });
    const sort = { expression: 'begins_with(#sk, :kind)', values: { ':kind': sk } };
    const query = { partition: { name: 'pk', value: pk }, ...(kind !== undefined && { sort }) };
    return (await this.#table.queryAll(query)).map(read);
  }

  async put(record: InventoryRecord): Promise<void> {
    const { generation, kind, name } = record;
    const item = { ...inventoryItem(record), generation, record: JSON.stringify(record) };
    const condition =
      generation === 1
        ? { expression: 'attribute_not_exists(#pk)' }
        : { expression: '#generation = :before', values: { ':before': generation - 1 } };
    if (await this.#table.put(item, condition)) return;
    throw new PipelineError('VersionConflict', `${kind} ${name} was changed by someone else meanwhile; read it again`);
  }

  async remove(key: InventoryKey): Promise<void> {
    await this.#table.remove(inventoryItem(key));
  }
}

function read({ pk, sk, record, format }: Item): InventoryRecord {
  const [kind, name] = String(sk).split('#');
  const what = `${kind} ${name} of namespace ${String(pk).split('#')[1]}`;
  return readJsonRecord(InventoryRecord, record, { what, format });
}
