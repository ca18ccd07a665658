/** What a change of the inventory does to the clusters that depend on it: every one resolved as it is and as it will be. */
import { documentChanges } from '../manifest/document-changes.ts';
import { sameValue } from '../same-value.ts';
import type { InventoryCluster, Recorded } from './inventory-documents.ts';
import type { InventoryFault } from './inventory-fault.ts';
import { type Inventory, type InventoryIndex, indexInventory } from './inventory-index.ts';
import { originAt, type Resolution, resolveCluster } from './resolve-cluster.ts';
import { leafPaths, valueAt } from './value-at.ts';

type Impact =
  /** Its manifest changes; a new cluster, too. */
  | 'changes'
  /** It depends on what changes, but a value of a later level is what it has. */
  | 'overrides'
  /** It depends on a document that changes, and not on what is changed in it. */
  | 'same'
  /** It cannot be resolved after the change. */
  | 'refused'
  /** Its InventoryCluster is removed. */
  | 'removed';

export interface ClusterImpact {
  readonly cluster: string;
  readonly impact: Impact;
  /** How its document changes, a few words each. */
  readonly changes: readonly string[];
  readonly faults: readonly InventoryFault[];
  readonly warnings: readonly InventoryFault[];
  /** Absent for one that is removed. */
  readonly after?: Resolution;
}

export interface InventoryImpact {
  readonly depend: number;
  readonly counts: Readonly<Record<Impact, number>>;
  /** Those that depend on the change, by name. */
  readonly clusters: readonly ClusterImpact[];
}

/** Pure; its time grows with the number of dependants. */
export function inventoryImpact(before: Inventory, after: Inventory): InventoryImpact {
  const [old, next] = [indexInventory(before), indexInventory(after)];
  const changed = changedDocuments(before, after);
  const stored = new Map(before.clusters.map((cluster) => [nameOf(cluster), cluster]));
  const kept = new Set(after.clusters.map(nameOf));
  const impacts = after.clusters
    .filter((cluster) => depends(cluster, stored.get(nameOf(cluster)), changed))
    .map((cluster) => impactOn(cluster, stored.get(nameOf(cluster)), { old, next, changed }));
  const removed = before.clusters.filter((cluster) => !kept.has(nameOf(cluster))).map(removal);
  const clusters = [...impacts, ...removed].sort((one, other) => (one.cluster < other.cluster ? -1 : 1));
  const count = (impact: Impact): number => clusters.filter((one) => one.impact === impact).length;
  const counts = {
    changes: count('changes'),
    overrides: count('overrides'),
    same: count('same'),
    refused: count('refused'),
    removed: count('removed'),
  };
  return { depend: clusters.length, counts, clusters };
}

interface Changed {
  /** Names of layers, with what they say before and after. */
  readonly layers: ReadonlyMap<string, { readonly before: unknown; readonly after: unknown }>;
  /** Something that may concern every cluster: the order, or a template, which others may include. */
  readonly everything: boolean;
}

function changedDocuments(before: Inventory, after: Inventory): Changed {
  const layers = new Map<string, { before: unknown; after: unknown }>();
  const old = new Map(before.layers.map(({ document }) => [document.metadata.name, document.spec]));
  const next = new Map(after.layers.map(({ document }) => [document.metadata.name, document.spec]));
  for (const name of new Set([...old.keys(), ...next.keys()])) {
    if (!sameValue(old.get(name), next.get(name))) {
      layers.set(name, { before: old.get(name)?.values, after: next.get(name)?.values });
    }
  }
  const orders = [before.order?.document.spec, after.order?.document.spec] as const;
  const templates = [before, after].map((one) =>
    Object.fromEntries(
      one.templates.map(({ document: { metadata, spec } }) => [`${metadata.name}@${spec.version}`, spec]),
    ),
  );
  return { layers, everything: !sameValue(...orders) || !sameValue(templates[0], templates[1]) };
}

function depends(
  cluster: Recorded<InventoryCluster>,
  stored: Recorded<InventoryCluster> | undefined,
  { layers, everything }: Changed,
): boolean {
  if (everything || stored === undefined || !sameValue(stored.document.spec, cluster.document.spec)) return true;
  return layerNames(cluster).some((name) => layers.has(name));
}

function impactOn(
  cluster: Recorded<InventoryCluster>,
  stored: Recorded<InventoryCluster> | undefined,
  { old, next, changed }: { readonly old: InventoryIndex; readonly next: InventoryIndex; readonly changed: Changed },
): ClusterImpact {
  const after = resolveCluster(cluster, next);
  const before = stored && resolveCluster(stored, old);
  const { faults, warnings } = after;
  const base = { cluster: nameOf(cluster), faults, warnings, after };
  if (after.document === undefined) return { ...base, impact: 'refused', changes: [] };
  if (before === undefined) return { ...base, impact: 'changes', changes: ['created'] };
  const changes = documentChanges(before.document, after.document);
  if (changes.length > 0) return { ...base, impact: 'changes', changes };
  return { ...base, impact: overridesSome(cluster, after, next, changed) ? 'overrides' : 'same', changes };
}

/** True when something that a layer of the cluster changes is set by another one for it. */
function overridesSome(
  cluster: Recorded<InventoryCluster>,
  { origin, removed }: Resolution,
  { order }: InventoryIndex,
  { layers }: Changed,
): boolean {
  return layerNames(cluster).some((name) => {
    const values = layers.get(name);
    if (values === undefined) return false;
    const paths = [...leafPaths(values.before, order.isByName), ...leafPaths(values.after, order.isByName)];
    return paths.some((path) => {
      const [one, other] = [values.before, values.after].map((tree) => valueAt(tree, path, order.isByName)?.value);
      if (sameValue(one, other)) return false;
      const winner = originAt(origin, path) ?? originAt(removed, path);
      return winner !== undefined && winner.name !== name;
    });
  });
}

function removal(cluster: Recorded<InventoryCluster>): ClusterImpact {
  return { cluster: nameOf(cluster), impact: 'removed', changes: [], faults: [], warnings: [] };
}

function layerNames({ document }: Recorded<InventoryCluster>): readonly string[] {
  return Object.values(document.spec.layers).flat();
}

const nameOf = ({ document }: Recorded<InventoryCluster>): string => document.metadata.name;
