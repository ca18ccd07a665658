/** The way out when the machine of the control node that is the API endpoint is lost: another control node becomes the endpoint first. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { StagePlan, Waypoint } from '#domain/plan.ts';
import { whatStays } from '#domain/what-stays.ts';
import { endpointText } from '../states/diff-states.ts';
import { configurationReasons } from './configuration.ts';
import { stagePlans } from './stage-plans.ts';

/**
 * A move that needs no lost node and no KubeOne, which joins nodes through the endpoint alone. Undefined when the endpoint is not lost, when
 * etcd has lost its quorum with it, or when no control node that answers stays.
 */
export function moveOffLostNode(state: ClusterState, items: readonly DriftItem[]): Waypoint | undefined {
  const { apiEndpoint, pools } = state;
  const named = (among: readonly DriftItem[]) => new Set(among.flatMap(({ where }) => where.node ?? []));
  const lost = named(items.filter(({ kind, gone }) => kind === 'machine' && gone));
  const broken = named(items);
  if (apiEndpoint.kind !== 'node' || !lost.has(apiEndpoint.node)) return undefined;
  const controls = pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const survivors = controls.filter((name) => !lost.has(name));
  // A finding of that kind is: Kubernetes does not have it, or not as ready.
  const silent = named(items.filter(({ kind }) => kind === 'node'));
  const stays = whatStays(controls.map((name) => ({ name, answers: !silent.has(name), leaves: lost.has(name) })));
  const node = survivors.find((name) => !broken.has(name)) ?? survivors.find((name) => stays.has(name));
  if (node === undefined || survivors.length * 2 <= controls.length) return undefined;
  const target: ClusterState = { ...state, apiEndpoint: { kind: 'node', node } };
  const work = stagePlans({ direction: 'move', from: [state], to: target, budget: { maxUnavailable: 1 } });
  const stages = work.filter(({ stage }) => stage !== 'kubernetes').map((plan) => withoutNodes(plan, lost));
  const change = { kind: 'ApiEndpointMoved', from: endpointText(state), to: endpointText(target) } as const;
  return { direction: 'move', target, changes: [change], stages, undo: [] };
}

function withoutNodes(plan: StagePlan, lost: ReadonlySet<string>): StagePlan {
  if (plan.stage !== 'configuration') return plan;
  const kept = (names: readonly string[]) => names.filter((name) => !lost.has(name));
  const { work } = plan;
  const { endpoint = [], firewall = [], boot = [], restarted = [], disks = [] } = work;
  const visited = {
    ...work,
    peers: kept(work.peers),
    proxy: kept(work.proxy),
    endpoint: kept(endpoint),
    firewall,
    boot,
    restarted,
    disks,
  };
  return { ...plan, work: visited, reasons: [...configurationReasons(visited)] };
}
