/** Faults of several documents together: each says in which document it is. */
import { error, type Fault } from '../manifest/faults/fault.ts';
import type { InventoryKind } from './inventory-documents.ts';

export interface InventoryPlace {
  readonly kind: InventoryKind;
  readonly name: string;
}

export interface InventoryFault extends Fault {
  readonly document: InventoryPlace;
}

export function inventoryFault(
  document: InventoryPlace,
  path: readonly PropertyKey[],
  reason: string,
  fix: string,
): InventoryFault {
  return { ...error(path, reason, fix), document };
}

/** `InventoryLayer "prod" (level environment)` */
export function inventoryPlaceText({ kind, name, level }: InventoryPlace & { readonly level?: string }): string {
  return `${kind} "${name}"${level === undefined || kind === 'InventoryCluster' ? '' : ` (level ${level})`}`;
}
