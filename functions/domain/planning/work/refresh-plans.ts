/** The stages that bring the world back to a state that should stand already. */
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';

/** The mesh alone, or all that is made of the state; every tool finds out by itself what is left to do. */
export function refreshPlans(state: ClusterState, what: 'mesh' | 'everything'): readonly StagePlan[] {
  const names = allNodes(state).map(({ node }) => node.name);
  const none = { install: [], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
  if (what === 'mesh') {
    return [
      {
        stage: 'configuration',
        reasons: ['the peer list of every node is set again'],
        work: { ...none, peers: names },
      },
    ];
  }
  const members = state.pools.flatMap((pool) => pool.nodes.map((node) => node.name));
  const loadBalancers = state.loadBalancers.map((loadBalancer) => loadBalancer.name);
  const plans: readonly StagePlan[] = [
    {
      stage: 'infrastructure',
      reasons: ['machines and names are compared with the world'],
      work: { workspaces: workspacesOf(state) },
    },
    {
      stage: 'configuration',
      reasons: ['every node is set up again'],
      work: { ...none, install: names, loadBalancers },
    },
    { stage: 'kubernetes', reasons: ['Kubernetes is compared with what it should be'], work: { action: 'apply' } },
    {
      stage: 'nodes',
      reasons: ['labels, annotations and taints are set again'],
      work: { patch: members, remove: [], maxUnavailable: 1 },
    },
  ];
  return plans.filter((plan) => plan.stage !== 'infrastructure' || plan.work.workspaces.length > 0);
}

type Workspaces = Extract<StagePlan, { stage: 'infrastructure' }>['work']['workspaces'];

function workspacesOf(state: ClusterState): Workspaces {
  const providers = allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : []));
  return [
    ...[...new Set(providers)].map((name) => ({ kind: 'machines' as const, name, destroy: false })),
    ...state.loadBalancers.map(({ id }) => ({ kind: 'dns' as const, name: id, destroy: false })),
  ];
}
