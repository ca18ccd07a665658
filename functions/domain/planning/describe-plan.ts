/** A plan in words for people: the same object that drives the execution, printed. */
import { allNodes, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { type ClusterPlan, type Refusal, revertible, type StageName, type Waypoint } from '#domain/plan.ts';
import { changeSentences } from './describe-changes.ts';
import { placeOf } from './diff-pools.ts';
import { counted, listed } from './words.ts';

/** What a waypoint does to a node. */
export type NodePart = 'joins' | 'leaves' | 'changes' | 'stays';

export interface DescribedNode {
  readonly name: string;
  readonly pool: string;
  readonly provider: string;
  readonly part: NodePart;
}

export interface DescribedWaypoint {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly stages: readonly { readonly stage: StageName; readonly reasons: readonly string[] }[];
  readonly nodes: readonly DescribedNode[];
  /** A failure is retried and never undone. */
  readonly forwardOnly: boolean;
}

export interface DescribedPlan {
  readonly summary: string;
  readonly waypoints: readonly DescribedWaypoint[];
  readonly refusals: readonly Refusal[];
}

/** Describes it. `current` is what stands before the first waypoint; without it, what leaves then is told by its changes. */
export function describeClusterPlan(plan: ClusterPlan, current: ClusterState | null = null): DescribedPlan {
  const waypoints = plan.waypoints.map((waypoint, index) =>
    describeWaypoint(waypoint, index === 0 ? current : (plan.waypoints[index - 1]?.target ?? null)),
  );
  return { summary: summaryOf(plan, waypoints), waypoints, refusals: plan.refusals };
}

/** Every node of both states, and what becomes of it on the way. */
export function nodeParts(
  waypoint: Pick<Waypoint, 'target' | 'stages' | 'changes'>,
  before: ClusterState | null,
): DescribedNode[] {
  const { target, stages, changes } = waypoint;
  const after = target === null ? [] : allNodes(target);
  const kept = new Set(after.map(({ node }) => node.name));
  const joining = new Set(stages.flatMap((plan) => (plan.stage === 'configuration' ? plan.work.install : [])));
  const changed = new Set(stages.flatMap(changedNodes));
  const stays = (name: string): NodePart => (changed.has(name) ? 'changes' : 'stays');
  const leaving = before === null ? removedBy(changes) : allNodes(before).map(({ node, pool }) => row(node.name, pool));
  return [
    ...after.map(({ node, pool }) => ({
      ...row(node.name, pool),
      part: joining.has(node.name) ? ('joins' as const) : stays(node.name),
    })),
    ...leaving.filter(({ name }) => !kept.has(name)).map((leaver) => ({ ...leaver, part: 'leaves' as const })),
  ];
}

type Row = Omit<DescribedNode, 'part'>;

function row(name: string, pool: NodePoolState): Row {
  return { name, pool: pool.id, provider: placeOf(pool).provider };
}

function removedBy(changes: Waypoint['changes']): readonly Row[] {
  return changes.flatMap((change) =>
    change.kind === 'NodesRemoved' || change.kind === 'NodePoolRemoved'
      ? change.nodes.map((name) => ({ name, pool: change.pool, provider: change.provider }))
      : [],
  );
}

/** Nodes on which something other than the list of their peers changes. */
function changedNodes(plan: Waypoint['stages'][number]): readonly string[] {
  if (plan.stage === 'configuration') return [...plan.work.proxy, ...(plan.work.endpoint ?? [])];
  return plan.stage === 'nodes' ? plan.work.patch : [];
}

function describeWaypoint(waypoint: Waypoint, before: ClusterState | null): DescribedWaypoint {
  const nodes = nodeParts(waypoint, before);
  const facts = waypoint.changes.flatMap((change) => changeSentences(change));
  return {
    title: `${waypoint.direction}: ${titleOf(waypoint, nodes)}`,
    sentences: [...facts, ...untouched(waypoint, nodes)],
    stages: waypoint.stages.map(({ stage, reasons }) => ({ stage, reasons })),
    nodes,
    forwardOnly: !revertible.includes(waypoint.direction),
  };
}

function titleOf({ changes, target }: Waypoint, nodes: readonly DescribedNode[]): string {
  const count = (part: NodePart) => nodes.filter((node) => node.part === part).length;
  const kinds = (kind: string) => changes.filter((change) => change.kind === kind).length;
  const named = (kind: string, noun: string) => (kinds(kind) > 0 ? [`${counted(kinds(kind), noun)}`] : []);
  if (target === null) return 'everything is removed';
  const leftovers = changes.flatMap((change) => (change.kind === 'LeftoversFound' ? change.nodes : []));
  const parts = [
    ...changes.flatMap((change) =>
      change.kind === 'KubernetesUpgraded' ? [`Kubernetes ${change.from} → ${change.to}`] : [],
    ),
    ...changes.flatMap((change) => (change.kind === 'ApiEndpointMoved' ? [`the API endpoint to ${change.to}`] : [])),
    ...(leftovers.length > 0 ? [`${counted(leftovers.length, 'node')} left over from an earlier attempt`] : []),
    ...(count('joins') > 0 ? [`${counted(count('joins'), 'node')} made`] : []),
    ...named('LoadBalancerAdded', 'load balancer').map((text) => `${text} added`),
    ...(count('leaves') > 0 ? [`${counted(count('leaves'), 'node')} removed`] : []),
    ...named('LoadBalancerRemoved', 'load balancer').map((text) => `${text} removed`),
  ];
  return parts.length > 0 ? parts.join(', ') : counted(changes.length, 'setting');
}

/** What does not happen is what people want to know most. */
function untouched({ stages, target }: Waypoint, nodes: readonly DescribedNode[]): readonly string[] {
  if (target === null) return [];
  const rest = nodes.filter((node) => node.part === 'stays');
  if (rest.length === 0) return [];
  const peers = new Set(stages.flatMap((plan) => (plan.stage === 'configuration' ? plan.work.peers : [])));
  const told = rest.filter((node) => peers.has(node.name)).length;
  const names = listed(rest.map((node) => node.name));
  if (stages.some((plan) => plan.stage === 'kubernetes' && isUpgrade(plan.reasons))) return [];
  if (told === 0) return [`nothing changes on the other ${counted(rest.length, 'node')} (${names})`];
  return [`the other ${counted(rest.length, 'node')} (${names}) stay as they are and only learn who their peers are`];
}

function isUpgrade(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason.startsWith('Kubernetes goes'));
}

function summaryOf(plan: ClusterPlan, waypoints: readonly DescribedWaypoint[]): string {
  if (plan.refusals.length > 0) return `refused for ${counted(plan.refusals.length, 'reason')}; nothing is done`;
  if (waypoints.length === 0) return 'nothing to do: what stands is what is wished for';
  const steps = plan.waypoints.map((waypoint) => waypoint.direction).join(' → ');
  const last = plan.waypoints.filter((waypoint) => !revertible.includes(waypoint.direction)).length;
  const forward = last > 0 ? `; ${counted(last, 'waypoint')} forward-only` : '';
  return `${counted(waypoints.length, 'waypoint')}: ${steps}${forward}`;
}
