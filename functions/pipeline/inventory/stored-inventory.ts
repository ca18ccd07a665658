/** The inventory of a namespace as it is stored, and as it would be with other documents. */
import type { InventoryRecord } from '#contracts/inventory.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import {
  type InventoryCluster,
  type InventoryDocument,
  type InventoryLayer,
  type InventoryOrder,
  type InventoryTemplate,
  inventoryName,
  inventoryShapes,
  type Recorded,
} from '#domain/inventory/inventory-documents.ts';
import type { InventoryFault } from '#domain/inventory/inventory-fault.ts';
import type { Inventory } from '#domain/inventory/inventory-index.ts';
import { orderOfLevels } from '#domain/inventory/order-of-levels.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { firstFaults } from '#domain/manifest/faults/fault.ts';
import type { FormVerdict } from '#domain/manifest/faults/validate-form.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import type { Using } from '../../ports.ts';
import { checksumOf } from '../records/checksum.ts';

export type RecordedDocument = Recorded<InventoryDocument>;

export async function storedInventory(deps: Using<'inventory.list'>, namespace: string): Promise<Inventory> {
  return inventoryOf((await deps.inventory.list(namespace)).map(readInventoryDocument));
}

/** A digest of which documents are stored, in which generation: ManagementPlanes are no part of it. */
export const inventoryVersion = (inventory: Inventory): string =>
  checksumOf(Object.fromEntries(allDocuments(inventory).map((one) => [inventoryTitle(one), one.generation])));

/** Kind and name, which no two have. */
export const inventoryTitle = ({ document }: Pick<RecordedDocument, 'document'>): string =>
  `${document.kind} ${inventoryName(document)}`;

/** All ManagementPlanes of a namespace. Throws `Unreadable`. */
export async function storedPlanes(deps: Using<'inventory.list'>, namespace: string): Promise<ManagementPlane[]> {
  const records = await deps.inventory.list(namespace, 'ManagementPlane');
  const documents = records.map((record) => readInventoryDocument(record).document);
  return documents.filter((document) => document.kind === 'ManagementPlane');
}

/** Throws `Unreadable` when a newer version wrote it. */
export function readInventoryDocument({
  kind,
  namespace,
  name,
  generation,
  by,
  document,
}: InventoryRecord): RecordedDocument {
  const parsed = inventoryShapes[kind].safeParse(document);
  if (parsed.success) return { document: parsed.data, generation, by };
  const message = `${kind} ${namespace}/${name} cannot be read by this version; apply it again, or delete it`;
  throw new PipelineError('Unreadable', message);
}

export function inventoryOf(documents: readonly RecordedDocument[]): Inventory {
  const of = <Document extends InventoryDocument>(kind: Document['kind']) =>
    documents.filter((one): one is Recorded<Document> => one.document.kind === kind);
  const [order] = of<InventoryOrder>('InventoryOrder');
  return {
    layers: of<InventoryLayer>('InventoryLayer'),
    templates: of<InventoryTemplate>('InventoryTemplate'),
    clusters: of<InventoryCluster>('InventoryCluster'),
    ...(order && { order }),
  };
}

export function allDocuments({ layers, templates, clusters, order }: Inventory): readonly RecordedDocument[] {
  return [...layers, ...templates, ...clusters, ...(order ? [order] : [])];
}

/** The same with these documents in the place of those of their names. */
export function withDocuments(inventory: Inventory, documents: readonly RecordedDocument[]): Inventory {
  const all = new Map<string, RecordedDocument>();
  for (const one of [...allDocuments(inventory), ...documents]) all.set(inventoryTitle(one), one);
  return inventoryOf([...all.values()]);
}

/** The verdict on a document among the others of its namespace. */
export function judgeDocument(
  kind: InventoryDocument['kind'],
  document: unknown,
  { order, templates }: Inventory,
): FormVerdict<InventoryDocument> {
  const byName = new Map(templates.map((one) => [inventoryName(one.document), one.document]));
  return validateInventoryDocument(kind, document, {
    order: orderOfLevels(order?.document),
    templates: (name) => byName.get(name),
  });
}

/** Faults of several documents as the API reports them. */
export function placedFaults(faults: readonly InventoryFault[]) {
  const documents = new Map(faults.map((fault) => [fault.path + fault.reason, fault.document]));
  return wireFaults(firstFaults(faults)).map((fault) => {
    const document = documents.get(fault.path + fault.reason);
    const { path, reason, fix, id } = fault;
    return {
      path,
      reason,
      ...(fix !== undefined && { fix }),
      ...(id !== undefined && { id }),
      ...(document && { document: { ...document } }),
    };
  });
}
