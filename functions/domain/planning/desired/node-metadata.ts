/** What every node carries in Kubernetes beside what the user wishes: labels, taints and annotations. */
import type { NodePoolState, NodeState, Taint } from '#domain/cluster-state.ts';

/** Keys that users of Claudie's manifests select by. */
export const labelKeys = {
  nodePool: 'claudie.io/nodepool',
  provider: 'claudie.io/provider',
  providerInstance: 'claudie.io/provider-instance',
  nodeType: 'claudie.io/node-type',
  spot: 'claudie.io/spot',
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
  os: 'kubernetes.io/os',
  operatingSystem: 'v1.kubeone.io/operating-system',
} as const;

export const storageTagsAnnotation = 'node.longhorn.io/default-node-tags';
const controlPlaneTaint: Taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
const spotTaint: Taint = { key: labelKeys.spot, value: 'true', effect: 'NoSchedule' };
/** Labels of static nodes that only the user can know. */
const overridable: readonly string[] = [labelKeys.provider, labelKeys.zone, labelKeys.region];

/** All labels of a node. The user's never replace ours, apart from provider, zone and region of static nodes. */
export function nodeLabels(pool: NodePoolState, _node: NodeState): Readonly<Record<string, string>> {
  const desired = mapEntries(pool.labels, labelText);
  const kept = pool.source.kind === 'static' ? pick(desired, overridable) : {};
  return { ...desired, ...mapEntries(ownLabels(pool), labelText), ...kept };
}

/** All taints of a node, each once. */
export function nodeTaints(pool: NodePoolState, _node: NodeState): readonly Taint[] {
  const own = [
    ...(pool.role === 'control' ? [controlPlaneTaint] : []),
    ...(pool.source.kind === 'dynamic' && pool.source.spot ? [spotTaint] : []),
  ];
  const byKey = [...pool.taints, ...own].map((taint) => [`${taint.key}=${taint.value ?? ''}:${taint.effect}`, taint]);
  return [...new Map(byKey as [string, Taint][]).values()];
}

/** All annotations of a node; compute nodes get the storage tag of their provider instance added to the user's tags. */
export function nodeAnnotations(pool: NodePoolState, _node: NodeState): Readonly<Record<string, string>> {
  if (pool.role !== 'compute') return { ...pool.annotations };
  const tags = new Set([...tagsIn(pool.annotations[storageTagsAnnotation]), storageTag(pool)]);
  return { ...pool.annotations, [storageTagsAnnotation]: JSON.stringify([...tags]) };
}

/** The storage tag of a pool: storage classes select by it, in the same spelling. */
export function storageTag(pool: NodePoolState): string {
  return `${labelText(instanceOf(pool))}-zone`;
}

/** A value as Kubernetes accepts it: lower case; white space, `:` and `_` become `-`. */
export function labelText(text: string): string {
  return text.toLowerCase().replaceAll(/[\s:_]/g, '-');
}

function ownLabels(pool: NodePoolState): Readonly<Record<string, string>> {
  const common = {
    [labelKeys.nodePool]: pool.name,
    [labelKeys.providerInstance]: instanceOf(pool),
    [labelKeys.nodeType]: pool.role,
    [labelKeys.os]: 'linux',
    [labelKeys.operatingSystem]: 'ubuntu',
  };
  if (pool.source.kind === 'static') {
    return {
      ...common,
      [labelKeys.provider]: staticProvider,
      [labelKeys.region]: staticProvider,
      [labelKeys.zone]: staticProvider,
    };
  }
  const { provider, region, zone, spot } = pool.source;
  return {
    ...common,
    [labelKeys.provider]: provider.type,
    [labelKeys.region]: region,
    ...(zone === undefined ? {} : { [labelKeys.zone]: zone }),
    ...(spot ? { [labelKeys.spot]: 'true' } : {}),
  };
}

const staticProvider = 'static';

function instanceOf(pool: NodePoolState): string {
  return pool.source.kind === 'static' ? staticProvider : pool.source.provider.name;
}

function tagsIn(text: string | undefined): readonly string[] {
  try {
    const tags: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(tags) ? tags.map(String) : [];
  } catch {
    return [];
  }
}

function mapEntries(
  map: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [change(key), change(value)]));
}

function pick(map: Readonly<Record<string, string>>, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key)));
}
