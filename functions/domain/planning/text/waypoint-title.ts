/** The title of a waypoint: its direction, and in one line what it does and what it does not touch. */
import type { Change, Waypoint } from '#domain/plan.ts';
import { counted, listed, placeText } from '../../words.ts';
import { settingText } from './describe-changes.ts';
import type { NodeGroup } from './node-groups.ts';
import type { PoolLabel } from './pool-labels.ts';

/** "grow: 2 nodes in compute-azure-2 (azure-2, northeurope), 1 load balancer; nothing that exists is touched" */
export function waypointTitle(waypoint: Waypoint, groups: readonly NodeGroup[], label: PoolLabel): string {
  const { direction, changes, target } = waypoint;
  if (target === null) return `${direction}: ${wholeText(groups, changes, 'LoadBalancerRemoved')} removed`;
  if (changes.some((change) => change.kind === 'ClusterCreated')) {
    return `${direction}: the cluster with ${wholeText(groups, changes, 'LoadBalancerAdded')}`;
  }
  const parts = [
    ...changes.flatMap((change) => steps(change, label)),
    ...leftoverParts(changes),
    ...poolParts(groups, 'made', newBalancersPools(waypoint, label)),
    ...countOf(changes, 'LoadBalancerAdded'),
    ...poolParts(groups, 'drained', new Set()),
    ...poolParts(groups, 'removed', goneBalancersPools(changes, label)),
    ...countOf(changes, 'LoadBalancerRemoved').map((text) => `${text} removed`),
  ];
  const settings = changes.flatMap((change) => settingText(change, label) ?? []);
  const all = [...parts, ...(settings.length > 3 ? [counted(settings.length, 'setting')] : settings)];
  return `${direction}: ${all.join(', ')}${untouched(direction, groups, settings)}`;
}

/** "4 nodes and 1 load balancer" */
function wholeText(groups: readonly NodeGroup[], changes: readonly Change[], kind: Change['kind']): string {
  const touched = groups.filter(({ part }) => part !== 'stays').flatMap(({ nodes }) => nodes);
  const leftover = changes.flatMap((change) => (change.kind === 'LeftoversFound' ? change.nodes : []));
  return listed([counted(new Set([...touched, ...leftover]).size, 'node'), ...countOf(changes, kind)]);
}

function steps(change: Change, label: PoolLabel): readonly string[] {
  if (change.kind === 'KubernetesUpgraded') return [`Kubernetes ${change.from} → ${change.to}`];
  if (change.kind === 'ApiEndpointMoved') return [`the API endpoint from ${change.from} to ${change.to}`];
  if (change.kind === 'NodePoolSpecChanged') return [`${listed(change.fields)} of ${label(change.pool)}`];
  return [];
}

function leftoverParts(changes: readonly Change[]): readonly string[] {
  const found = changes.filter((change) => change.kind === 'LeftoversFound');
  const count = found.reduce((sum, change) => sum + change.nodes.length, 0);
  return found.length > 0 ? [`${counted(count, 'node')} left over from an earlier attempt removed`] : [];
}

function countOf(changes: readonly Change[], kind: Change['kind']): readonly string[] {
  const count = changes.filter((change) => change.kind === kind).length;
  return count > 0 ? [counted(count, 'load balancer')] : [];
}

/** Up to three pools with their nodes; for more pools, only the number of nodes. */
function poolParts(
  groups: readonly NodeGroup[],
  part: NodeGroup['part'],
  reported: ReadonlySet<string>,
): readonly string[] {
  const those = groups.filter((group) => group.part === part && !reported.has(group.pool));
  const end = part === 'made' ? '' : part === 'drained' ? ' drained and removed' : ' removed';
  const word = part === 'made' ? 'in' : 'of';
  if (those.length <= 3) {
    return those.map(
      ({ nodes, pool, provider, region }) =>
        `${counted(nodes.length, 'node')} ${word} ${pool} (${placeText(provider, region)})${end}`,
    );
  }
  const nodes = those.reduce((sum, group) => sum + group.nodes.length, 0);
  return [`${counted(nodes, 'node')} ${word} ${counted(those.length, 'pool')}${end}`];
}

/** Pools of load balancers that are created: the load balancers describe them. */
function newBalancersPools({ changes, target }: Waypoint, label: PoolLabel): ReadonlySet<string> {
  const names = changes.flatMap((change) => (change.kind === 'LoadBalancerAdded' ? [change.loadBalancer] : []));
  const balancers = target?.loadBalancers.filter(({ name }) => names.includes(name)) ?? [];
  return new Set(balancers.flatMap(({ pools }) => pools.map((pool) => label(pool.id))));
}

/** Load balancers that go come last among the changes, each before its pools. */
function goneBalancersPools(changes: readonly Change[], label: PoolLabel): ReadonlySet<string> {
  const first = changes.findIndex((change) => change.kind === 'LoadBalancerRemoved');
  const after = first < 0 ? [] : changes.slice(first);
  return new Set(after.flatMap((change) => (change.kind === 'NodePoolRemoved' ? [label(change.pool)] : [])));
}

/** What is not touched: what people want to know most. */
function untouched(
  direction: Waypoint['direction'],
  groups: readonly NodeGroup[],
  settings: readonly string[],
): string {
  if (settings.length > 0 || groups.some(({ part }) => part === 'changed')) return '';
  if (direction === 'grow') return '; nothing that exists is touched';
  return direction === 'shrink' ? '; nothing else is touched' : '';
}
