/** The targets of `move` and `upgrade`, and the change of credentials that comes before everything else. */
import { allPools, type ClusterState, type NodePoolState, servesApiOnNodes } from '#domain/cluster-state.ts';
import { withOptions } from '#domain/kubernetes-options.ts';
import { dnsText } from '../states/diff-load-balancers.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { minorSteps } from './version-steps.ts';

/** The state with the API endpoint of `goal`, and under its names; port 6443 of nodes is not closed yet. */
export function moveTarget(here: ClusterState, goal: ClusterState): ClusterState {
  const { apiEndpoint } = goal;
  const named = apiEndpoint.kind === 'loadBalancer' ? apiEndpoint.loadBalancer : undefined;
  const desired = goal.loadBalancers.find((loadBalancer) => loadBalancer.name === named);
  const loadBalancers = here.loadBalancers.map((loadBalancer) =>
    desired?.id !== loadBalancer.id || dnsText(desired.dns) === dnsText(loadBalancer.dns)
      ? loadBalancer
      : { ...loadBalancer, dns: desired.dns },
  );
  const { apiPortOpen: _, ...rest } = here;
  const open = servesApiOnNodes(here) && apiEndpoint.kind === 'loadBalancer';
  return { ...rest, apiEndpoint, loadBalancers, ...(open ? { apiPortOpen: true } : {}) };
}

/** The states on the way to the Kubernetes version of `goal`: one for each minor version. Images and packages come from where `goal` says. */
export function upgradeTargets(here: ClusterState, goal: ClusterState): readonly ClusterState[] {
  return minorSteps(here.kubernetesVersion, goal.kubernetesVersion).map((kubernetesVersion) => ({
    ...withOptions(here, goal),
    kubernetesVersion,
  }));
}

/** `state` reached with the credentials of `goal`: the machines do not change, only the access to them. */
export function withAccess(state: ClusterState, goal: ClusterState): ClusterState {
  const secrets = secretsOf(goal);
  const statics = new Map(
    allPools(goal).flatMap((pool) => (pool.source.kind === 'static' ? [[poolKey(pool), pool] as const] : [])),
  );
  const known = <Provider extends { name: string; type: string }>(provider: Provider): Provider => {
    const secret = secrets.get(`${provider.name} ${provider.type}`);
    return secret === undefined ? provider : { ...provider, secret };
  };
  const pool = (before: NodePoolState): NodePoolState => {
    if (before.source.kind === 'dynamic') {
      return { ...before, source: { ...before.source, provider: known(before.source.provider) } };
    }
    const desired = statics.get(poolKey(before));
    if (desired === undefined) return before;
    const access = new Map(desired.nodes.map((node) => [nodeKey(node), node.static]));
    const nodes = before.nodes.map((node) => ({ ...node, static: access.get(nodeKey(node)) ?? node.static }));
    return { ...before, sshPort: desired.sshPort, nodes };
  };
  return {
    ...state,
    pools: state.pools.map(pool),
    loadBalancers: state.loadBalancers.map((loadBalancer) => ({
      ...loadBalancer,
      dns: { ...loadBalancer.dns, provider: known(loadBalancer.dns.provider) },
      pools: loadBalancer.pools.map(pool),
    })),
  };
}

function secretsOf(goal: ClusterState): ReadonlyMap<string, string> {
  const providers = [
    ...allPools(goal).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider] : [])),
    ...goal.loadBalancers.map((loadBalancer) => loadBalancer.dns.provider),
  ];
  return new Map(
    providers.flatMap(({ name, type, secret }) => (secret === undefined ? [] : [[`${name} ${type}`, secret]])),
  );
}
