/** What every node has in Kubernetes in addition to the user's own: labels, taints and annotations. */
import type { NodePoolState, NodeState, Taint } from '#domain/cluster-state.ts';
import { parseJson } from '#domain/json.ts';
import { isReservedLabel, labelKeys, labelText, labelValueText } from '#domain/node-labels.ts';

const storageTagsAnnotation = 'node.longhorn.io/default-node-tags';
const controlPlaneTaint: Taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
const spotTaint: Taint = { key: labelKeys.spot, value: 'true', effect: 'NoSchedule' };

/** All labels of a node: those of the user that are not reserved, and ours where the user has none. */
export function nodeLabels(pool: NodePoolState, _node: NodeState): Readonly<Record<string, string>> {
  const users = sanitised(Object.entries(pool.labels).filter(([key]) => !isReservedLabel(key, pool.source.kind)));
  return { ...users, ...sanitised(Object.entries(ownLabels(pool))), ...users };
}

/** All taints of a node, each once. */
export function nodeTaints(pool: NodePoolState, _node: NodeState): readonly Taint[] {
  return poolTaints(pool);
}

/** The taints of each of its nodes, also before it has one. */
export function poolTaints(pool: NodePoolState): readonly Taint[] {
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
  const tags = parseJson(text ?? '[]');
  return Array.isArray(tags) ? tags.map(String) : [];
}

function sanitised(labels: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(labels.map(([key, value]) => [labelText(key), labelValueText(value)]));
}
