/** A plan in words for people: the same object that drives the execution, printed. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { proxyText } from '#domain/installation-proxy.ts';
import { type ClusterPlan, type Refusal, revertible, type StageName, type Waypoint } from '#domain/plan.ts';
import { countSteps } from '#domain/progress.ts';
import { counted, listed, listedNodes } from '../../words.ts';
import { changeSentences } from './describe-changes.ts';
import { type DescribedNode, groupText, type NodeGroup, nodeGroups, nodeParts } from './node-groups.ts';
import { type PoolLabel, poolLabels } from './pool-labels.ts';
import { waypointTitle } from './waypoint-title.ts';

/** One thing that happens to nodes (`+` made, `~` changed in place, `-` removed, `=` stays) or to anything else (`·`). */
interface PlanLine {
  readonly mark: '·' | '+' | '~' | '-' | '=';
  readonly text: string;
}

export interface DescribedWaypoint {
  /** "grow: 2 nodes in compute-azure-2 (azure-2, northeurope), 1 load balancer; nothing that exists is touched" */
  readonly title: string;
  /** Everything that the title does not say, or says shorter. */
  readonly lines: readonly PlanLine[];
  /** The texts of the lines. */
  readonly sentences: readonly string[];
  /** Nodes by pool and by what happens to them. */
  readonly groups: readonly NodeGroup[];
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

/** Describes it. `current` is the state before the first waypoint; without it, what is removed then is described by the changes. */
export function describeClusterPlan(plan: ClusterPlan, current: ClusterState | null = null): DescribedPlan {
  const label = poolLabels(plan, current);
  const waypoints = plan.waypoints.map((waypoint, index) =>
    describeWaypoint(waypoint, index === 0 ? current : (plan.waypoints[index - 1]?.target ?? null), label),
  );
  return { summary: summaryOf(plan), waypoints, refusals: plan.refusals };
}

function describeWaypoint(waypoint: Waypoint, before: ClusterState | null, label: PoolLabel): DescribedWaypoint {
  const nodes = nodeParts(waypoint, before);
  const groups = nodeGroups(nodes, label);
  const facts = waypoint.changes.flatMap((change) => changeSentences(change, label));
  const lines: readonly PlanLine[] = [
    ...[...proxyOfNew(waypoint), ...facts].map((text) => ({ mark: '·' as const, text })),
    ...groups.flatMap((group) => groupLines(group, waypoint)),
    ...staying(waypoint, nodes).map((text) => ({ mark: '=' as const, text })),
  ];
  return {
    title: waypointTitle(waypoint, groups, label),
    lines,
    sentences: lines.map(({ text }) => text),
    groups,
    stages: waypoint.stages.map(({ stage, reasons }) => ({ stage, reasons })),
    nodes,
    forwardOnly: !revertible.includes(waypoint.direction),
  };
}

/** A new cluster has no change of its proxy. */
function proxyOfNew({ changes, target }: Waypoint): readonly string[] {
  const { enabled, endpoint } = target?.installationProxy ?? { enabled: false, endpoint: '' };
  const isNew = changes.some(({ kind }) => kind === 'ClusterCreated');
  return isNew && enabled ? [`downloads of nodes go through ${proxyText(endpoint)}`] : [];
}

function groupLines(group: NodeGroup, waypoint: Waypoint): readonly PlanLine[] {
  const names = listedNodes(group.nodes);
  // A machine of the user's own is neither made nor removed: it joins and is released.
  const own = group.provider === 'static';
  const gone = own ? 'released' : 'removed';
  switch (group.part) {
    case 'made': {
      const fresh = waypoint.changes.some((change) => change.kind === 'NodePoolAdded' && change.pool === group.poolId);
      return [{ mark: '+', text: `${own ? 'joins' : 'made'}: ${groupText(group, 'in')}${fresh ? '' : `: ${names}`}` }];
    }
    case 'changed':
      return [{ mark: '~', text: `changed in place: ${groupText(group, 'of')}` }];
    case 'drained':
      return [{ mark: '-', text: `drained${pace(group, waypoint)} and ${gone}: ${groupText(group, 'of')}: ${names}` }];
    case 'removed':
      return [{ mark: '-', text: `${gone}: ${groupText(group, 'of')}${waypoint.target === null ? '' : `: ${names}`}` }];
    case 'stays':
      return [];
    default:
      return group.part satisfies never;
  }
}

/** How many of a pool at once; control nodes always go one by one. */
function pace({ nodes, role, poolId }: NodeGroup, { stages }: Waypoint): string {
  const work = stages.flatMap((plan) => (plan.stage === 'nodes' ? [plan.work] : []))[0];
  const atOnce = role === 'control' ? 1 : (work?.maxUnavailableOf?.[poolId] ?? work?.maxUnavailable ?? 1);
  if (nodes.length < 2) return '';
  return atOnce === 1 ? ' one by one' : ` ${Math.min(atOnce, nodes.length)} at a time`;
}

/** What is not touched: what people want to know most. */
function staying({ stages, target, direction }: Waypoint, nodes: readonly DescribedNode[]): readonly string[] {
  const rest = nodes.filter((node) => node.part === 'stays');
  if (target === null || rest.length === 0) return [];
  if (direction === 'upgrade') {
    const count = (role: string) => nodes.filter((node) => node.role === role).length;
    const workers = count('compute') > 0 ? `, then ${counted(count('compute'), 'compute node')}` : '';
    return [`${counted(count('control'), 'control node')} first${workers}, in place`];
  }
  const count = counted(rest.length, 'node');
  const others = rest.length < nodes.length ? `the other ${count}` : rest.length === 1 ? 'the node' : `all ${count}`;
  const peers = new Set(stages.flatMap((plan) => (plan.stage === 'configuration' ? plan.work.peers : [])));
  const [verb, learn] =
    rest.length === 1
      ? ['stays as it is', 'only learns who its peers are']
      : ['stay as they are', 'only learn who their peers are'];
  return [rest.some((node) => peers.has(node.name)) ? `${others} ${verb} and ${learn}` : `${others} ${verb}`];
}

function summaryOf(plan: ClusterPlan): string {
  const { waypoints, refusals } = plan;
  if (refusals.length > 0) return `refused for ${counted(refusals.length, 'reason')}; nothing is done`;
  if (waypoints.length === 0) return 'nothing to do: the current state is the desired state';
  const path = waypoints.map(({ direction }) => direction).join(' → ');
  const steps = `${counted(waypoints.length, 'waypoint')}, ${counted(countSteps(waypoints), 'step')}: ${path}`;
  const forward = [...new Set(waypoints.map(({ direction }) => direction))].filter(
    (word) => !revertible.includes(word),
  );
  return forward.length === 0 ? steps : `${steps}; forward-only: ${listed(forward, forward.length)}`;
}
