/** The rules that every waypoint keeps: a state with a fault of these would not work. */
import {
  allPools,
  type ClusterState,
  hasKubernetes,
  type LoadBalancerState,
  type NodeState,
} from '#domain/cluster-state.ts';
import type { Refusal } from '#domain/plan.ts';
import { addressNumber, parseNetwork } from '../../manifest/schema/networks.ts';
import { aboutCluster, refusal } from './refusal.ts';
import { listenerOf, roleTargets, targetsApi } from './role-targets.ts';

/** Everything that keeps a state from working; empty for a good one. */
export function stateFaults(state: ClusterState): readonly Refusal[] {
  const nodes = allPools(state).flatMap((pool) => pool.nodes);
  return [
    ...(hasKubernetes(state) ? [...controlFaults(state), ...endpointFaults(state)] : []),
    ...nameFaults(state, nodes),
    ...addressFaults(state, nodes),
    ...state.loadBalancers.flatMap((loadBalancer) => roleFaults(state, loadBalancer)),
  ];
}

function controlFaults(state: ClusterState): readonly Refusal[] {
  if (state.pools.some((pool) => pool.role === 'control' && pool.nodes.length > 0)) return [];
  const fix = 'keep at least one node in a control pool, or delete the cluster';
  return [refusal(aboutCluster(state, 'pools.control'), 'no control node would be left', fix)];
}

function endpointFaults(state: ClusterState): readonly Refusal[] {
  const { apiEndpoint } = state;
  if (apiEndpoint.kind === 'none') return [];
  if (apiEndpoint.kind === 'node') {
    const control = state.pools.filter((pool) => pool.role === 'control').flatMap((pool) => pool.nodes);
    if (control.some((node) => node.name === apiEndpoint.node)) return [];
    const reason = `the API endpoint would be node ${apiEndpoint.node || '(none)'}, which is not a control node`;
    const fix = 'keep that node until the endpoint has moved to another';
    return [refusal(aboutCluster(state, 'pools.control'), reason, fix)];
  }
  const balancer = state.loadBalancers.find((candidate) => candidate.name === apiEndpoint.loadBalancer);
  if (balancer && targetsApi(balancer) && balancer.pools.some((pool) => pool.nodes.length > 0)) return [];
  const { loadBalancer: name } = apiEndpoint;
  const reason = `the API endpoint would be load balancer ${name}, which has no node or no API role`;
  const fix = 'give it at least one node and the API role, or remove the role so that a control node is the endpoint';
  return [refusal({ kind: 'loadBalancer', name, field: '' }, reason, fix)];
}

function nameFaults(state: ClusterState, nodes: readonly NodeState[]): readonly Refusal[] {
  const machines = nodes.flatMap(({ static: machine }) => (machine ? [machine.endpoint] : []));
  const names = {
    node: nodes.map(({ name }) => name),
    machine: machines,
    pool: allPools(state).map(({ id }) => id),
    'load balancer': state.loadBalancers.flatMap(({ id, name }) => [id, name]),
  };
  return Object.entries(names).flatMap(([what, all]) =>
    repeated(all).map((name) =>
      refusal(aboutCluster(state, ''), `${what} ${name} would exist twice`, 'use it in one place only'),
    ),
  );
}

function addressFaults(state: ClusterState, nodes: readonly NodeState[]): readonly Refusal[] {
  const network = parseNetwork(state.network);
  const addresses = nodes.map(({ privateAddress }) => privateAddress);
  const outside = addresses.filter((address) => {
    const value = addressNumber(address) ?? -1;
    return network === undefined || value <= network.first || value >= network.last;
  });
  const subnets = allPools(state).flatMap(({ source }) =>
    source.kind === 'static' ? [] : [`${source.subnet} of ${source.provider.name} in ${source.region}`],
  );
  return [
    ...repeated(addresses).map((address) => fault(`address ${address} would be given twice`)),
    ...repeated(subnets).map((subnet) => fault(`subnet ${subnet} would be used twice`)),
    ...outside.map((address) => fault(`address ${address} is not in network ${state.network}`)),
  ];
  function fault(reason: string): Refusal {
    return refusal(aboutCluster(state, 'network'), reason, 'keep the network of the cluster as it is');
  }
}

function roleFaults(state: ClusterState, { name, roles }: LoadBalancerState): readonly Refusal[] {
  const about = { kind: 'loadBalancer', name, field: 'roles' } as const;
  const pools = new Set(state.pools.map((pool) => pool.name));
  const unknown = roles.flatMap((role) =>
    role.targetPools.filter((pool) => !pools.has(pool)).map((pool) => `role ${role.name} targets ${pool}`),
  );
  const silent = roles.filter((role) => role.servesApi && roleTargets(state, role).length === 0);
  return [
    ...repeated(roles.map(listenerOf)).map((listener) =>
      refusal(about, `two roles would listen on ${listener}`, 'give one of them another port'),
    ),
    ...unknown.map((reason) =>
      refusal(about, `${reason}, which is not a pool of the cluster`, 'target pools that the cluster uses'),
    ),
    ...silent.map((role) =>
      refusal(about, `role ${role.name} would reach no control node`, 'target a control pool that has nodes'),
    ),
  ];
}

function repeated(items: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const item of items) (seen.has(item) ? twice : seen).add(item);
  return [...twice];
}
