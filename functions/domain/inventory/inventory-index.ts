/** The documents of an inventory by their names, with its templates read once. */
import type {
  InventoryCluster,
  InventoryLayer,
  InventoryOrder,
  InventoryTemplate,
  Recorded,
} from './inventory-documents.ts';
import { inventoryName } from './inventory-documents.ts';
import { type OrderOfLevels, orderOfLevels } from './order-of-levels.ts';
import { checkTemplate, type TemplateCheck } from './template/check-template.ts';
import { type ParsedTemplate, parseTemplate } from './template/parse-template.ts';

/** The documents of one namespace. */
export interface Inventory {
  readonly layers: readonly Recorded<InventoryLayer>[];
  readonly order?: Recorded<InventoryOrder>;
  readonly templates: readonly Recorded<InventoryTemplate>[];
  readonly clusters: readonly Recorded<InventoryCluster>[];
}

export interface InventoryIndex {
  readonly order: OrderOfLevels;
  readonly clusters: readonly Recorded<InventoryCluster>[];
  readonly templateNames: readonly string[];
  readonly layer: (name: string) => Recorded<InventoryLayer> | undefined;
  readonly layerNames: (level: string) => readonly string[];
  /** By `name@version`. */
  readonly template: (name: string) => { readonly parsed: ParsedTemplate; readonly check: TemplateCheck } | undefined;
}

export function indexInventory({ layers, order, templates, clusters }: Inventory): InventoryIndex {
  const layersByName = new Map(layers.map((layer) => [layer.document.metadata.name, layer]));
  const parsed = new Map(templates.map(({ document }) => [inventoryName(document), parseTemplate(document)]));
  const checked = new Map<string, { parsed: ParsedTemplate; check: TemplateCheck }>();
  return {
    order: orderOfLevels(order?.document),
    clusters,
    templateNames: [...parsed.keys()],
    layer: (name) => layersByName.get(name),
    layerNames: (level) =>
      layers.filter(({ document }) => document.spec.level === level).map(({ document }) => document.metadata.name),
    template: (name) => {
      const known = checked.get(name);
      const found = parsed.get(name);
      if (known || found === undefined) return known;
      const entry = { parsed: found, check: checkTemplate(found, (other) => parsed.get(other)) };
      checked.set(name, entry);
      return entry;
    },
  };
}
