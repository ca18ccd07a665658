/** What a waypoint does to nodes: one by one for programs, by pool for people. */
import { allNodes, allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import type { Change, StagePlan, Waypoint } from '#domain/plan.ts';
import { counted, placeText, roleText } from '../../words.ts';
import { nodePlace } from '../states/diff-pools.ts';
import type { PoolLabel } from './pool-labels.ts';

const nodePartNames = ['made', 'changed', 'drained', 'removed', 'stays'] as const;
/** `changed`: in place; `drained`: moved out of Kubernetes with care, then removed; `stays`: learns its peers at most. */
type NodePart = (typeof nodePartNames)[number];

export interface DescribedNode {
  readonly name: string;
  /** Id. */
  readonly pool: string;
  readonly role: string;
  readonly provider: string;
  readonly region: string;
  readonly part: NodePart;
}

/** Nodes of one pool to which the same happens. */
export interface NodeGroup {
  readonly part: NodePart;
  readonly poolId: string;
  /** As it is called in sentences. */
  readonly pool: string;
  readonly role: string;
  readonly provider: string;
  readonly region: string;
  readonly nodes: readonly string[];
}

/** Every node of both states. Without the state before, those that leave are found by the changes. */
export function nodeParts(
  { target, stages, changes }: Pick<Waypoint, 'target' | 'stages' | 'changes'>,
  before: ClusterState | null,
): DescribedNode[] {
  const after = target === null ? [] : allNodes(target);
  const kept = new Set(after.map(({ node }) => node.name));
  const repaired = changes.some((change) => change.kind === 'DriftRepaired');
  const joining = new Set(repaired ? [] : stages.flatMap(installedNodes));
  const changed = new Set(stages.flatMap(changedNodes));
  const drained = new Set(stages.flatMap((plan) => (plan.stage === 'nodes' ? plan.work.remove : [])));
  const leaving =
    before === null ? changes.flatMap((change) => removedNodes(change, target)) : allNodes(before).map(rowOf);
  const partOf = (name: string): NodePart => (joining.has(name) ? 'made' : changed.has(name) ? 'changed' : 'stays');
  return [
    ...after.map((placed) => ({ ...rowOf(placed), part: partOf(placed.node.name) })),
    ...leaving
      .filter(({ name }) => !kept.has(name))
      .map((row) => ({ ...row, part: drained.has(row.name) ? ('drained' as const) : ('removed' as const) })),
  ];
}

/** The same by pool, in the order of the parts. */
export function nodeGroups(nodes: readonly DescribedNode[], label: PoolLabel): readonly NodeGroup[] {
  const groups = new Map<string, NodeGroup & { nodes: string[] }>();
  for (const { name, part, pool, ...rest } of nodes) {
    const key = `${part} ${pool}`;
    const group = groups.get(key) ?? { ...rest, part, poolId: pool, pool: label(pool), nodes: [] };
    group.nodes.push(name);
    groups.set(key, group);
  }
  return nodePartNames.flatMap((part) => [...groups.values()].filter((group) => group.part === part));
}

/** "2 compute nodes in compute-azure-2 (azure-2, northeurope)" */
export function groupText({ nodes, role, pool, provider, region }: NodeGroup, word: 'in' | 'of'): string {
  return `${counted(nodes.length, `${roleText(role)} node`)} ${word} ${pool} (${placeText(provider, region)})`;
}

type Row = Omit<DescribedNode, 'part'>;

function rowOf({ node, pool }: { node: { name: string }; pool: NodePoolState }): Row {
  return { name: node.name, role: pool.role, ...nodePlace(pool) };
}

function removedNodes(change: Change, target: ClusterState | null): readonly Row[] {
  if (change.kind !== 'NodesRemoved' && change.kind !== 'NodePoolRemoved') return [];
  const { pool, provider, region } = change;
  const known = target === null ? undefined : allPools(target).find((candidate) => candidate.id === pool)?.role;
  const role = change.kind === 'NodePoolRemoved' ? change.role : (known ?? 'compute');
  return change.nodes.map((name) => ({ name, pool, role, provider, region }));
}

function installedNodes(plan: StagePlan): readonly string[] {
  return plan.stage === 'configuration' ? plan.work.install : [];
}

/** Nodes on which something other than the list of their peers changes. */
function changedNodes(plan: StagePlan): readonly string[] {
  if (plan.stage === 'configuration')
    return [
      ...plan.work.proxy,
      ...(plan.work.endpoint ?? []),
      ...(plan.work.restarted ?? []),
      ...(plan.work.disks ?? []),
    ];
  return plan.stage === 'nodes' ? plan.work.patch : [];
}
