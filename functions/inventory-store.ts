/** The port of documents of inventories. */
import type { InventoryKey, InventoryRecord } from '#contracts/inventory.ts';

export interface InventoryStore {
  /** Undefined when there is none. */
  get(key: InventoryKey): Promise<InventoryRecord | undefined>;
  /** All documents of a namespace, by kind and name, as they are now. @param kind @default all kinds */
  list(namespace: string, kind?: InventoryKey['kind']): Promise<readonly InventoryRecord[]>;
  /** Throws `VersionConflict` unless what is stored is one generation older; of generation 1: unless there is none. */
  put(record: InventoryRecord): Promise<void>;
  /** It may be gone already. */
  remove(key: InventoryKey): Promise<void>;
}
