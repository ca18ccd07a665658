/** The changes of a Kubernetes node towards the target; what belongs to others stays. */
import type { NodePoolState, NodeState, Taint } from '#domain/cluster-state.ts';
import { nodeAnnotations, nodeLabels, nodeTaints } from '#domain/planning/desired/node-metadata.ts';

/** A node as the API server has it; only the fields that a patch needs. */
export interface LiveNode {
  readonly name: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly providerId: string;
}

export interface DesiredNode {
  readonly node: NodeState;
  readonly pool: NodePoolState;
}

/** A JSON merge patch. */
export type NodePatch = Readonly<Record<string, unknown>>;

/** Identity of a node towards autoscalers and clouds. */
export function providerIdOf(node: string): string {
  return `kubeloom://${node}`;
}

/**
 * The merge patch that leads `live` to `desired`; undefined when there is nothing to change. `before`: the same node in
 * earlier states: what they set and the target does not have any more is removed, all else stays.
 * Taints are a list that is replaced whole, so that patch names the version it was made for.
 */
export function nodePatch(live: LiveNode, desired: DesiredNode, before: readonly DesiredNode[]): NodePatch | undefined {
  const labels = mapPatch(
    live.labels,
    nodeLabels(desired.pool, desired.node),
    before.map((old) => nodeLabels(old.pool, old.node)),
  );
  const annotations = mapPatch(
    live.annotations,
    nodeAnnotations(desired.pool, desired.node),
    before.map((old) => nodeAnnotations(old.pool, old.node)),
  );
  const taints = taintsPatch(
    live.taints,
    nodeTaints(desired.pool, desired.node),
    before.flatMap((old) => nodeTaints(old.pool, old.node)),
  );
  const metadata = {
    ...(taints === undefined ? {} : { resourceVersion: live.resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const spec = {
    // A provider id cannot be changed once it is set.
    ...(live.providerId === '' ? { providerID: providerIdOf(live.name) } : {}),
    ...(taints === undefined ? {} : { taints }),
  };
  if (Object.keys(metadata).length + Object.keys(spec).length === 0) return undefined;
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

/** What of it a patch would change, in words that name keys only. */
export function nodeDifferences(live: LiveNode, desired: DesiredNode): readonly string[] {
  const { labels = {}, annotations = {} } = (nodePatch(live, desired, [])?.metadata ?? {}) as NodePatch;
  const own = nodeTaints(desired.pool, desired.node);
  const missing = own.filter(
    (taint) => !live.taints.some((there) => taintKey(there) === taintKey(taint) && sameTaint(there, taint)),
  );
  return [
    ...Object.keys(labels as Entries).map((key) => `label ${key}`),
    ...Object.keys(annotations as Entries).map((key) => `annotation ${key}`),
    ...missing.map((taint) => `taint ${taintKey(taint)}`),
    ...(live.providerId === '' ? ['provider id'] : []),
  ];
}

type Entries = Readonly<Record<string, string>>;

function mapPatch(
  live: Entries,
  desired: Entries,
  before: readonly Entries[],
): Readonly<Record<string, string | null>> | undefined {
  const wrong = Object.entries(desired).filter(([key, value]) => live[key] !== value);
  const left = before.flatMap((entries) => Object.keys(entries)).filter((key) => key in live && !(key in desired));
  const patch = Object.fromEntries([...wrong, ...left.map((key) => [key, null] as const)]);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function taintsPatch(
  live: readonly Taint[],
  desired: readonly Taint[],
  before: readonly Taint[],
): readonly Taint[] | undefined {
  const ours = new Set([...desired, ...before].map(taintKey));
  const desiredKeys = new Map(desired.map((taint) => [taintKey(taint), taint]));
  const kept = live.filter((taint) => !ours.has(taintKey(taint)) || sameTaint(taint, desiredKeys.get(taintKey(taint))));
  const present = new Set(kept.map(taintKey));
  const missing = desired.filter((taint) => !present.has(taintKey(taint)));
  return missing.length === 0 && kept.length === live.length ? undefined : [...kept, ...missing];
}

/** What Kubernetes knows a taint by: it holds one of each key and effect. */
function taintKey({ key, effect }: Taint): string {
  return `${key}:${effect}`;
}

function sameTaint(left: Taint, right: Taint | undefined): boolean {
  return right !== undefined && (left.value ?? '') === (right.value ?? '');
}
