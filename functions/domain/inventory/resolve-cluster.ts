/** Resolves a cluster of the inventory: its layers and its template become an ordinary manifest, and each part of it knows why it is so. */
import { pathText } from '../manifest/faults/fault.ts';
import type { ManifestKind } from '../manifest/schema/manifest-kinds.ts';
import { nearest } from '../nearest.ts';
import { type InventoryCluster, ownLevel, type Recorded } from './inventory-documents.ts';
import { type InventoryFault, inventoryFault } from './inventory-fault.ts';
import type { InventoryIndex } from './inventory-index.ts';
import { type LayerValues, mergeLayers, type ValueOrigin } from './merge-layers.ts';
import { fillTemplate } from './template/fill-template.ts';
import { leavesOf, type Tracked, type Uses, withoutTracks } from './template/tracked.ts';
import { type IsByName, leafPaths } from './value-at.ts';
import { meets, type ValuePath, valuePathText } from './value-path.ts';

export interface Resolution {
  readonly namespace: string;
  readonly name: string;
  /** A manifest of the kind that its template produces as it is written, without its defaults; absent when there are faults. */
  readonly document?: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
  /** Origins of each leaf of `values`, by its path; see `MergedValues`. */
  readonly origin: ReadonlyMap<string, ValueOrigin>;
  readonly removed: ReadonlyMap<string, ValueOrigin>;
  /** By path, for each leaf of the document: the values that it was made from; an empty list: the template itself sets it. Computed on demand, because hundreds of clusters are planned at once and only one is explained. */
  readonly uses: () => ReadonlyMap<string, Uses>;
  /** `name@version` */
  readonly template: string;
  readonly isByName: IsByName;
  readonly faults: readonly InventoryFault[];
  readonly warnings: readonly InventoryFault[];
}

/** Says on a manifest which InventoryCluster it is made from. */
export const inventoryAnnotation = 'kubeloom.dev/inventory-cluster';

/** Everything that is wrong, at once. Never throws. */
export function resolveCluster(cluster: Recorded<InventoryCluster>, inventory: InventoryIndex): Resolution {
  const { metadata, spec } = cluster.document;
  const { namespace, name } = metadata;
  const { order } = inventory;
  const chosen = layersOf(cluster, inventory);
  const { values, origin, removed, faults: ofValues } = mergeLayers(chosen.layers, order);
  const base = { namespace, name, template: spec.template, values, origin, removed, isByName: order.isByName };
  const template = inventory.template(spec.template);
  const contradictions = [...chosen.faults, ...ofValues, ...templateFaults(spec.template, name, inventory)];
  const unused = template ? unusedIn(base, template.check.used) : [];
  const refused = order.unusedValues === 'refuse' ? unused : [];
  const warnings =
    order.unusedValues === 'refuse' ? [] : unused.map((one) => ({ ...one, severity: 'warning' as const }));
  const failed = (faults: readonly InventoryFault[]): Resolution => ({
    ...base,
    uses: () => new Map(),
    faults,
    warnings,
  });
  // What layers contradict each other about is missing in the values: the template would only report that again.
  if (template === undefined || contradictions.length > 0) return failed([...contradictions, ...refused]);
  const input = { values, cluster: { name, namespace }, layers: spec.layers, isByName: order.isByName };
  const fill = () => fillTemplate(template.parsed, input, (one) => inventory.template(one)?.parsed);
  const filled = fill();
  if (filled.document === undefined || refused.length > 0) return failed([...refused, ...filled.faults]);
  const uses = () => {
    const { document } = fill();
    return new Map([...(document ? leavesOf(document) : [])].map((leaf) => [pathText(leaf.path), leaf.uses] as const));
  };
  return {
    ...base,
    document: manifestOf(filled.document, { kind: template.parsed.produces, namespace, name }),
    uses,
    faults: [],
    warnings,
  };
}

/** That the template does not exist, or what is wrong with it and the parts that it includes. */
function templateFaults(wanted: string, cluster: string, inventory: InventoryIndex): readonly InventoryFault[] {
  const template = inventory.template(wanted);
  if (template?.parsed.document === undefined) {
    const near = nearest(
      wanted,
      inventory.templateNames.filter((one) => one !== wanted),
    );
    const reason = template ? `template ${wanted} has no document, only parts` : `there is no template ${wanted}`;
    const fix = near ? `did you mean ${near}?` : 'store it first, or apply it with this document';
    return [inventoryFault({ kind: 'InventoryCluster', name: cluster }, ['spec', 'template'], reason, fix)];
  }
  const found = [...template.parsed.faults.map((fault) => ({ ...fault, template: wanted })), ...template.check.faults];
  return found.map(({ template: name, ...fault }) => ({
    ...fault,
    document: { kind: 'InventoryTemplate', name } as const,
  }));
}

function manifestOf(
  filled: Tracked,
  { kind, namespace, name }: { kind: ManifestKind; namespace: string; name: string },
): Record<string, unknown> {
  const { metadata = {}, ...rest } = withoutTracks(filled) as { metadata?: { labels?: object; annotations?: object } };
  const { labels, annotations } = metadata;
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind,
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [inventoryAnnotation]: name },
    },
    ...rest,
  };
}

/** Its layers and its own values, and the layers that do not exist. */
function layersOf(
  { document, generation, by }: Recorded<InventoryCluster>,
  inventory: InventoryIndex,
): { readonly layers: readonly LayerValues[]; readonly faults: readonly InventoryFault[] } {
  const { metadata, spec } = document;
  const place = { kind: 'InventoryCluster', name: metadata.name } as const;
  const faults: InventoryFault[] = [];
  const fault = (path: readonly PropertyKey[], reason: string, fix: string): LayerValues[] => {
    faults.push(inventoryFault(place, ['spec', 'layers', ...path], reason, fix));
    return [];
  };
  const layers = Object.entries(spec.layers).flatMap(([level, names]) => {
    const { levels } = inventory.order;
    if (!levels.includes(level)) {
      const near = nearest(level, levels);
      return fault(
        [level],
        `there is no level "${level}"`,
        near ? `did you mean ${near}?` : `the levels are ${levels.join(', ')}`,
      );
    }
    return [names].flat().flatMap((name, index, all) => {
      const path = Array.isArray(names) ? [level, index] : [level];
      if (all.indexOf(name) < index) return fault(path, `names layer "${name}" twice`, 'remove one of the two');
      const layer = inventory.layer(name);
      if (layer === undefined) {
        const near = nearest(name, inventory.layerNames(level));
        return fault(
          path,
          `there is no InventoryLayer "${name}"`,
          near ? `did you mean ${near}?` : 'store it first, or apply it with this document',
        );
      }
      if (layer.document.spec.level !== level) {
        const reason = `layer "${name}" is at level ${layer.document.spec.level}, not ${level}`;
        return fault(path, reason, 'name it under its level');
      }
      const source = { kind: 'InventoryLayer', name, level, generation: layer.generation, by: layer.by } as const;
      return [{ source, values: layer.document.spec.values }];
    });
  });
  const own = { source: { ...place, level: ownLevel, generation, by }, values: spec.values };
  return { layers: [...layers, own], faults };
}

/** No one reads more of them, and each compares names. */
const mostSuggestions = 100;

/** Values that the template does not use: most of them are misspelt. */
function unusedIn(
  { values, origin, template, isByName }: Pick<Resolution, 'values' | 'origin' | 'template' | 'isByName'>,
  used: readonly ValuePath[],
): readonly InventoryFault[] {
  let compared = 0;
  // Those without a first part, or with any, meet all.
  const groups = Map.groupBy(used, ([first = '*']) => first);
  const isUsed = (path: ValuePath): boolean =>
    [path[0] ?? '*', '*'].some((first) => groups.get(first)?.some((one) => meets(one, path)));
  return [...leafPaths(values, isByName)].flatMap((path) => {
    // The name of an item says which one it is.
    const isName = path.at(-1) === 'name' && isByName(path.slice(0, -2));
    const source = isName || isUsed(path) ? undefined : originAt(origin, path);
    if (source === undefined) return [];
    compared += 1;
    const near = compared > mostSuggestions ? undefined : nearest(path.at(-1) ?? '', namesNextTo(path, used));
    const reason = `template ${template} does not use the value ${valuePathText(path)}`;
    const fix = near ? `did you mean ${near}?` : 'remove it, or set spec.unusedValues of the InventoryOrder to "warn"';
    return [inventoryFault({ kind: source.kind, name: source.name }, ['spec', 'values', ...path], reason, fix)];
  });
}

function namesNextTo(path: ValuePath, used: readonly ValuePath[]): readonly string[] {
  const above = path.slice(0, -1);
  const around = used.filter((one) => one.length >= path.length && meets(one.slice(0, above.length), above));
  return around.map((one) => one[above.length] ?? '').filter((word) => word !== '*' && word !== '');
}

/** The origin of a value, or of the list that it is in. */
export function originAt(origin: ReadonlyMap<string, ValueOrigin>, path: ValuePath): ValueOrigin | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = origin.get(valuePathText(path.slice(0, length)));
    if (found) return found;
  }
  return undefined;
}
