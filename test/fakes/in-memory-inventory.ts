/** `InventoryStore` in memory. */
import { type InventoryKey, InventoryRecord } from '#contracts/inventory.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InventoryStore } from '#functions/ports.ts';

const idOf = ({ namespace, kind, name }: InventoryKey): string => `${namespace}#${kind}#${name}`;

export class InMemoryInventory implements InventoryStore {
  readonly #records = new Map<string, InventoryRecord>();

  async get(key: InventoryKey): Promise<InventoryRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key)));
  }

  async list(namespace: string, kind?: InventoryKey['kind']): Promise<readonly InventoryRecord[]> {
    const start = `${namespace}#${kind === undefined ? '' : `${kind}#`}`;
    const ids = [...this.#records.keys()].filter((id) => id.startsWith(start)).sort();
    return structuredClone(ids.flatMap((id) => this.#records.get(id) ?? []));
  }

  async put(record: InventoryRecord): Promise<void> {
    const stored = this.#records.get(idOf(record))?.generation ?? 0;
    if (stored !== record.generation - 1) {
      throw new PipelineError('VersionConflict', `${record.name} is generation ${stored}`);
    }
    this.#records.set(idOf(record), structuredClone(InventoryRecord.parse(record)));
  }

  async remove(key: InventoryKey): Promise<void> {
    this.#records.delete(idOf(key));
  }
}
