/** The autoscaled compute pools of a cluster, as the agent in it sees them. */
import type { AgentGroup, AgentReport, AgentTemplate } from '#contracts/agent.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { type Demand, openDemand } from '#domain/demand.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { capacityOf } from '#domain/node-capacity.ts';
import { nodeLabels, nodeTaints } from '#domain/planning/desired/node-metadata.ts';
import { scalingPrices } from '#domain/prices/scaling-prices.ts';
import { boundsOf } from '../../pipeline/plans/cluster-plans.ts';

export interface AgentKnowledge {
  readonly demand: Demand;
  /** Labels and capacity of the last node of pools that have had a node. */
  readonly capacity: AgentReport['capacity'];
}

/** Those that exist; their bounds are the manifest's. */
export function agentGroups(
  document: InputManifest,
  { current, attempted }: Pick<ClusterRecord, 'current' | 'attempted'>,
  { demand, capacity }: AgentKnowledge,
): AgentGroup[] {
  const open = openDemand(demand, { current, attempted, bounds: boundsOf(document) });
  // As they were applied: an agent that came before the first price does not know the field.
  const prices = scalingPrices(current?.pools ?? []);
  return document.spec.nodePools.dynamic.flatMap((blueprint) => {
    const ofIt = ({ name, role }: NodePoolState) => name === blueprint.name && role === 'compute';
    const pool = current?.pools.findLast(ofIt);
    if (blueprint.autoscaler === undefined || pool === undefined) return [];
    const tried = attempted?.pools.filter(ofIt).flatMap(({ nodes }) => nodes) ?? [];
    const { min, max } = blueprint.autoscaler;
    const failure = open.failures[pool.name];
    const monthlyPrice = prices.get(pool.name);
    const asked = open.sizes[pool.name]?.count ?? pool.nodes.length;
    return [
      {
        pool: pool.name,
        min,
        max,
        size: Math.min(max, Math.max(min, asked)),
        nodes: nodesOf(pool, tried, new Set(open.replace.map(({ node }) => node))),
        ...(failure && {
          failure: {
            count: failure.count,
            code: failure.code,
            message: failure.message,
            outOfResources: failure.class === 'capacity' || failure.class === 'quota',
          },
        }),
        ...(monthlyPrice !== undefined && { monthlyPrice }),
        template: templateOf(pool, capacity[pool.name] ?? capacityOf(blueprint)),
      },
    ];
  });
}

function nodesOf(
  { nodes }: NodePoolState,
  tried: NodePoolState['nodes'],
  leaving: ReadonlySet<string>,
): AgentGroup['nodes'] {
  const known = new Set(nodes.map(({ name }) => name));
  return [
    ...nodes.map(({ name }) => ({ name, state: leaving.has(name) ? ('deleting' as const) : ('running' as const) })),
    ...tried.filter(({ name }) => !known.has(name)).map(({ name }) => ({ name, state: 'creating' as const })),
  ];
}

function templateOf(pool: NodePoolState, capacity: AgentReport['capacity'][string]): AgentTemplate {
  const node = { name: '', privateAddress: '' };
  const gpu = capacity['nvidia.com/gpu'] !== undefined && { 'nvidia.com/gpu.present': 'true' };
  return {
    // Images are amd64; what the kubelet and drivers add is known before there is a node, too.
    labels: { 'kubernetes.io/arch': 'amd64', ...gpu, ...nodeLabels(pool, node) },
    taints: [...nodeTaints(pool, node)],
    capacity: { ...capacity },
  };
}
