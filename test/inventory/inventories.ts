/** Builders of inventories: what a test does not name is as small as it can be. */
import {
  InventoryCluster,
  InventoryLayer,
  InventoryOrder,
  InventoryTemplate,
  type Recorded,
} from '#domain/inventory/inventory-documents.ts';
import { type Inventory, indexInventory } from '#domain/inventory/inventory-index.ts';
import { type Resolution, resolveCluster } from '#domain/inventory/resolve-cluster.ts';

type Values = Readonly<Record<string, unknown>>;

const recorded = <Document>(document: Document, generation = 1, by = 'ann'): Recorded<Document> => ({
  document,
  generation,
  by,
});
const head = { apiVersion: 'kubeloom.dev/v1' } as const;

export function layer(name: string, level: string, values: Values, { generation = 1, by = 'ann' } = {}) {
  const document = InventoryLayer.parse({
    ...head,
    kind: 'InventoryLayer',
    metadata: { name },
    spec: { level, values },
  });
  return recorded(document, generation, by);
}

export function order(spec: Values) {
  return recorded(InventoryOrder.parse({ ...head, kind: 'InventoryOrder', metadata: { name: 'default' }, spec }));
}

export function template(reference: string, document: unknown, parts: Values = {}) {
  const [name, version] = reference.split('@');
  const spec = { version: Number(version), parts, ...(document !== undefined && { document }) };
  return recorded(InventoryTemplate.parse({ ...head, kind: 'InventoryTemplate', metadata: { name }, spec }));
}

export function cluster(name: string, layers: Values = {}, values: Values = {}, wanted = 'all@1') {
  const spec = { layers, template: wanted, values };
  return recorded(InventoryCluster.parse({ ...head, kind: 'InventoryCluster', metadata: { name }, spec }), 1, 'bob');
}

/** Its document is all values of the cluster, under `spec`. */
export const allValues = template('all@1', { spec: '${values}' });

export function inventory(parts: Partial<Inventory>): Inventory {
  return { layers: [], templates: [allValues], clusters: [], ...parts };
}

/** The only cluster of it. */
export function resolved(parts: Partial<Inventory>): Resolution {
  const index = indexInventory(inventory(parts));
  const [only] = index.clusters;
  if (only === undefined) throw new Error('the inventory has no cluster');
  return resolveCluster(only, index);
}

/** `spec` of the document; the faults if it has no spec. */
export function specOf(resolution: Resolution): unknown {
  return resolution.document?.spec ?? faultTexts(resolution);
}

export function faultTexts({ faults }: Pick<Resolution, 'faults'>): readonly string[] {
  return faults.map(({ document, path, reason }) => `${document.kind} ${document.name} ${path}: ${reason}`);
}
