import { describe, expect, test } from 'vitest';
import type { ClusterPlan, StagePlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { balancer, compute, control, type ManifestWish, manifestOf, webRole } from './manifests.ts';

const withLb = (roles: readonly string[], more: ManifestWish = {}): ManifestWish => ({
  dynamic: [control(1), compute(2), balancer(1)],
  loadBalancers: [{ name: 'lb', roles, pools: ['balancer'] }],
  ...more,
});

interface Case {
  readonly title: string;
  readonly from?: ManifestWish;
  readonly to: ManifestWish;
  readonly templates?: Readonly<Record<string, string>>;
  /** `direction: stage stage …` of each waypoint. */
  readonly path: readonly string[];
  /** Kinds of the changes of all waypoints. */
  readonly changes: readonly string[];
}

const cases: readonly Case[] = [
  { title: 'nothing', from: {}, to: {}, path: [], changes: [] },
  {
    title: 'nodes added to a pool',
    from: {},
    to: { dynamic: [control(1), compute(4)] },
    path: ['grow: infrastructure configuration kubernetes nodes'],
    changes: ['NodesAdded'],
  },
  {
    title: 'nodes removed from a pool',
    from: {},
    to: { dynamic: [control(1), compute(1)] },
    path: ['shrink: nodes configuration infrastructure'],
    changes: ['NodesRemoved'],
  },
  {
    title: 'a pool added',
    from: {},
    to: {
      dynamic: [control(1), compute(2), { name: 'more', provider: 'azure-2', count: 2 }],
      compute: ['compute', 'more'],
    },
    path: ['grow: infrastructure configuration kubernetes nodes'],
    changes: ['NodePoolAdded'],
  },
  {
    title: 'a pool that a load balancer targets added: its traffic comes last',
    from: withLb(['web']),
    to: withLb(['web'], {
      dynamic: [control(1), compute(3), balancer(1)],
    }),
    path: ['grow: infrastructure configuration kubernetes nodes traffic'],
    changes: ['NodesAdded'],
  },
  {
    title: 'a targeted node removed: traffic is diverted first',
    from: withLb(['web']),
    to: withLb(['web'], { dynamic: [control(1), compute(1), balancer(1)] }),
    path: ['shrink: traffic nodes configuration infrastructure'],
    changes: ['NodesRemoved'],
  },
  {
    title: 'a pool replaced by another: added before it is removed',
    from: {},
    to: { dynamic: [control(1), { name: 'other', count: 1 }], compute: ['other'] },
    path: ['grow: infrastructure configuration kubernetes nodes', 'shrink: nodes configuration infrastructure'],
    changes: ['NodePoolAdded', 'NodePoolRemoved'],
  },
  {
    title: 'a static node added',
    from: { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], compute: ['compute', 'rack'] },
    to: { static: [{ name: 'rack', endpoints: ['203.0.113.1', '203.0.113.2'] }], compute: ['compute', 'rack'] },
    path: ['grow: configuration kubernetes nodes'],
    changes: ['NodesAdded'],
  },
  {
    title: 'a static node exchanged',
    from: {
      static: [{ name: 'rack', endpoints: ['203.0.113.1', '203.0.113.2'] }],
      compute: ['rack'],
      dynamic: [control(1)],
    },
    to: {
      static: [{ name: 'rack', endpoints: ['203.0.113.1', '203.0.113.3'] }],
      compute: ['rack'],
      dynamic: [control(1)],
    },
    path: ['grow: configuration kubernetes nodes', 'shrink: nodes configuration'],
    changes: ['NodesAdded', 'NodesRemoved'],
  },
  {
    title: 'a static machine that changes its pool: it leaves before it comes back',
    from: { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], compute: ['compute', 'rack'] },
    to: { static: [{ name: 'shelf', endpoints: ['203.0.113.1'] }], compute: ['compute', 'shelf'] },
    path: ['shrink: nodes configuration', 'grow: configuration kubernetes nodes'],
    changes: ['NodePoolRemoved', 'NodePoolAdded'],
  },
  {
    title: 'a load balancer added: no Kubernetes stage',
    from: {},
    to: withLb(['web']),
    path: ['grow: infrastructure configuration'],
    changes: ['LoadBalancerAdded', 'NodePoolAdded'],
  },
  {
    title: 'nodes added to a load balancer',
    from: withLb(['web']),
    to: withLb(['web'], { dynamic: [control(1), compute(2), balancer(3)] }),
    path: ['grow: infrastructure configuration'],
    changes: ['NodesAdded'],
  },
  {
    title: 'nodes removed from a load balancer',
    from: withLb(['web'], { dynamic: [control(1), compute(2), balancer(3)] }),
    to: withLb(['web']),
    path: ['shrink: configuration infrastructure'],
    changes: ['NodesRemoved'],
  },
  {
    title: 'a load balancer removed',
    from: withLb(['web']),
    to: {},
    path: ['shrink: configuration infrastructure'],
    changes: ['LoadBalancerRemoved', 'NodePoolRemoved'],
  },
  {
    title: 'a role added',
    from: withLb(['web']),
    to: withLb(['web', 'more'], { roles: [webRole, { ...webRole, name: 'more', port: 81 }] }),
    path: ['grow: infrastructure traffic'],
    changes: ['RolesChanged'],
  },
  {
    title: 'a role removed',
    from: withLb(['web', 'more'], { roles: [webRole, { ...webRole, name: 'more', port: 81 }] }),
    to: withLb(['web'], { roles: [webRole] }),
    path: ['shrink: traffic infrastructure'],
    changes: ['RolesChanged'],
  },
  {
    title: 'a role that takes the port of another',
    from: withLb(['web'], { roles: [webRole] }),
    to: withLb(['new'], { roles: [{ ...webRole, name: 'new' }] }),
    path: ['shrink: traffic'],
    changes: ['RolesChanged'],
  },
  {
    title: 'internals of a role',
    from: withLb(['web'], { roles: [webRole] }),
    to: withLb(['web'], { roles: [{ ...webRole, targetPort: 30081 }] }),
    path: ['settle: traffic'],
    changes: ['RolesChanged'],
  },
  {
    title: 'port of a role',
    from: withLb(['web'], { roles: [webRole] }),
    to: withLb(['web'], { roles: [{ ...webRole, port: 8080 }] }),
    path: ['settle: infrastructure traffic'],
    changes: ['RolesChanged'],
  },
  {
    title: 'target pools of a role',
    from: withLb(['web'], { roles: [webRole] }),
    to: withLb(['web'], { roles: [{ ...webRole, target: 'k8sAllNodes' }] }),
    path: ['settle: traffic'],
    changes: ['RolesChanged'],
  },
  {
    title: 'host name of a load balancer that is not the API endpoint',
    from: withLb(['web']),
    to: withLb(['web'], {
      loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer'], dns: { hostname: 'shop' } }],
    }),
    path: ['settle: infrastructure'],
    changes: ['DnsChanged'],
  },
  {
    title: 'API endpoint from a node to a load balancer: port 6443 is closed only afterwards',
    from: {},
    to: withLb(['api']),
    path: ['grow: infrastructure configuration', 'move: configuration kubernetes nodes', 'settle: infrastructure'],
    changes: ['LoadBalancerAdded', 'NodePoolAdded', 'ApiEndpointMoved', 'ApiPortChanged'],
  },
  {
    title: 'API endpoint from a load balancer to a node: port 6443 is opened before',
    from: withLb(['api']),
    to: {},
    path: ['move: infrastructure configuration kubernetes nodes', 'shrink: configuration infrastructure'],
    changes: ['ApiEndpointMoved', 'ApiPortChanged', 'LoadBalancerRemoved', 'NodePoolRemoved'],
  },
  {
    title: 'API role swapped for another role on the same load balancer',
    from: withLb(['api']),
    to: withLb(['web']),
    path: [
      'grow: infrastructure traffic',
      'move: infrastructure configuration kubernetes nodes',
      'shrink: traffic infrastructure',
    ],
    changes: ['RolesChanged', 'ApiEndpointMoved', 'ApiPortChanged', 'RolesChanged'],
  },
  {
    title: 'API endpoint from one load balancer to another',
    from: withLb(['api']),
    to: withLb(['api'], { loadBalancers: [{ name: 'lb2', roles: ['api'], pools: ['balancer'] }] }),
    path: [
      'grow: infrastructure configuration',
      'move: configuration kubernetes nodes',
      'shrink: configuration infrastructure',
    ],
    changes: ['LoadBalancerAdded', 'NodePoolAdded', 'ApiEndpointMoved', 'LoadBalancerRemoved', 'NodePoolRemoved'],
  },
  {
    title: 'host name of the API endpoint',
    from: withLb(['api']),
    to: withLb(['api'], {
      loadBalancers: [{ name: 'lb', roles: ['api'], pools: ['balancer'], dns: { hostname: 'k8s' } }],
    }),
    path: ['move: infrastructure configuration kubernetes nodes'],
    changes: ['DnsChanged'],
  },
  {
    title: 'control pool with the API endpoint replaced: the endpoint moves before it goes',
    from: {},
    to: { dynamic: [{ name: 'brain', provider: 'azure-1' }, compute(2)], control: ['brain'] },
    path: [
      'grow: infrastructure configuration kubernetes nodes',
      'move: configuration kubernetes nodes',
      'shrink: nodes configuration infrastructure',
    ],
    changes: ['NodePoolAdded', 'ApiEndpointMoved', 'NodePoolRemoved'],
  },
  {
    title: 'Kubernetes over two minor versions',
    from: {},
    to: { version: '1.36.0' },
    path: ['upgrade: kubernetes', 'upgrade: kubernetes'],
    changes: ['KubernetesUpgraded', 'KubernetesUpgraded'],
  },
  {
    title: 'Kubernetes patch and new nodes: joined first, upgraded then',
    from: {},
    to: { version: '1.34.2', dynamic: [control(3), compute(2)] },
    path: ['grow: infrastructure configuration kubernetes nodes', 'upgrade: kubernetes'],
    changes: ['NodesAdded', 'KubernetesUpgraded'],
  },
  {
    title: 'installation proxy on',
    from: {},
    to: { proxy: { mode: 'on' } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'endpoint of the installation proxy',
    from: { proxy: { mode: 'on' } },
    to: { proxy: { mode: 'on', endpoint: 'http://proxy.example:3128' } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'noProxy of the installation proxy',
    from: { proxy: { mode: 'on' } },
    to: { proxy: { mode: 'on', noProxy: 'internal.example' } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'labels, annotations and taints',
    from: {},
    to: {
      dynamic: [
        control(1),
        compute(2, {
          labels: { tier: 'a' },
          annotations: { note: 'b' },
          taints: [{ key: 'only', value: 'x', effect: 'NoSchedule' }],
        }),
      ],
    },
    path: ['settle: nodes'],
    changes: ['NodeMetadataChanged'],
  },
  {
    title: 'fixed to autoscaled with the same number: no stage at all',
    from: {},
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5 } })] },
    path: ['settle:'],
    changes: ['AutoscalerChanged'],
  },
  {
    title: 'autoscaled bounds above the present number',
    from: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5 } })] },
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 3, max: 5 } })] },
    path: ['grow: infrastructure configuration kubernetes nodes', 'settle:'],
    changes: ['NodesAdded', 'AutoscalerChanged'],
  },
  {
    title: 'credentials of a provider: no machine is touched',
    from: {},
    to: { secrets: { 'aws-1': 'rotated' } },
    path: ['settle:'],
    changes: ['ProviderChanged'],
  },
  {
    title: 'credentials and a new node: the credentials come first',
    from: {},
    to: { secrets: { 'aws-1': 'rotated' }, dynamic: [control(1), compute(3)] },
    path: ['settle:', 'grow: infrastructure configuration kubernetes nodes'],
    changes: ['ProviderChanged', 'NodesAdded'],
  },
  {
    title: 'key of static nodes',
    from: { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], compute: ['rack'], dynamic: [control(1)] },
    to: {
      static: [{ name: 'rack', endpoints: ['203.0.113.1'], key: 'new' }],
      compute: ['rack'],
      dynamic: [control(1)],
    },
    path: ['settle:'],
    changes: ['NodeAccessChanged'],
  },
  {
    title: 'templates of a provider: the pool is replaced, the new one first',
    from: {},
    to: {},
    templates: { 'aws-1': 'git@2' },
    path: ['grow: infrastructure configuration kubernetes nodes', 'shrink: nodes configuration infrastructure'],
    changes: ['NodePoolAdded', 'NodePoolRemoved'],
  },
  {
    title: 'everything at once: one waypoint of each kind, in order',
    from: withLb(['web']),
    to: withLb(['api'], {
      version: '1.35.0',
      dynamic: [control(3), compute(1, { labels: { a: 'b' } }), { name: 'more' }, balancer(2)],
      compute: ['compute', 'more'],
    }),
    path: [
      'grow: infrastructure configuration kubernetes nodes traffic',
      'move: configuration kubernetes nodes',
      'upgrade: kubernetes',
      'shrink: traffic nodes configuration infrastructure',
      'settle: infrastructure nodes',
    ],
    changes: [
      'NodesAdded',
      'NodePoolAdded',
      'RolesChanged',
      'NodesAdded',
      'ApiEndpointMoved',
      'KubernetesUpgraded',
      'NodesRemoved',
      'RolesChanged',
      'ApiPortChanged',
      'NodeMetadataChanged',
    ],
  },
];

describe('each kind of change', () => {
  test.each(cases)('$title', ({ from, to, templates = {}, path, changes }) => {
    const plan = planned(from ?? {}, to, templates);
    expect(plan.refusals).toEqual([]);
    expect(pathText(plan)).toEqual(path);
    expect(plan.waypoints.flatMap((waypoint) => waypoint.changes.map(({ kind }) => kind))).toEqual(changes);
  });
});

describe('work of the stages', () => {
  test('a create is one grow to the desired state: everything is installed, load balancers with it', () => {
    const desired = desiredOf({ manifest: manifestOf(withLb(['api', 'web'])) });
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired });
    expect(pathText(plan)).toEqual(['grow: infrastructure configuration kubernetes nodes']);
    const [create] = plan.waypoints;
    expect(create?.target).toEqual(desired);
    expect(stageOf(create?.stages, 'configuration')?.work).toMatchObject({ peers: [], loadBalancers: ['lb'] });
    expect(stageOf(create?.stages, 'configuration')?.work.install).toHaveLength(4);
    const visited = stageOf(create?.stages, 'infrastructure')?.work.workspaces;
    expect(visited?.map(({ kind, destroy }) => `${kind} ${destroy}`)).toEqual([
      'machines false',
      'machines false',
      'dns false',
    ]);
    expect(create?.undo.map(({ stage }) => stage)).toEqual(['infrastructure']);
  });

  test('a grow installs the new nodes, tells all others their peers, and its ladder takes back just that', () => {
    const plan = planned({}, { dynamic: [control(1), compute(3)] });
    const [grow] = plan.waypoints;
    const added = newNodes(plan);
    expect(added).toHaveLength(1);
    const configuration = stageOf(grow?.stages, 'configuration');
    expect(configuration?.work.install).toEqual(added);
    expect(configuration?.work.peers).toHaveLength(3);
    expect(stageOf(grow?.stages, 'nodes')?.work).toMatchObject({ patch: added, remove: [] });
    expect(stageOf(grow?.undo, 'nodes')?.work).toMatchObject({ patch: [], remove: added });
    expect(stageOf(grow?.undo, 'configuration')?.work).toMatchObject({ install: [], uninstall: [] });
    expect(stageOf(grow?.undo, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'aws-1', destroy: false },
    ]);
    expect(grow?.undo.map(({ stage }) => stage)).toEqual(['nodes', 'configuration', 'infrastructure']);
  });

  test('a workspace is destroyed when its last pool goes, and made to disappear when a grow is undone', () => {
    const more = {
      dynamic: [control(1), compute(2), { name: 'far', provider: 'azure-2' }],
      compute: ['compute', 'far'],
    };
    const gone = planned(more, {}).waypoints[0];
    expect(stageOf(gone?.stages, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'azure-2', destroy: true },
    ]);
    const made = planned({}, more).waypoints[0];
    expect(stageOf(made?.undo, 'infrastructure')?.work.workspaces).toEqual([
      { kind: 'machines', name: 'azure-2', destroy: true },
    ]);
  });

  test('workers are removed before control nodes, within the number that each pool allows', () => {
    const current = desiredOf({ manifest: manifestOf({ dynamic: [control(3), compute(4)] }) });
    const desired = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(1)] }), current });
    const options = { maxUnavailable: 1, maxUnavailableOf: { compute: 2 } };
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
    const work = stageOf(plan.waypoints[0]?.stages, 'nodes')?.work;
    expect(work?.remove.map((name) => name.slice(0, 4))).toEqual(['comp', 'comp', 'comp', 'cont', 'cont']);
    expect(work?.maxUnavailableOf).toEqual({ [current.pools[1]?.id ?? '']: 2 });
  });

  test('static nodes that leave are cleaned; a cluster that goes gives them back with a reset', () => {
    const hybrid = { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], compute: ['compute', 'rack'] };
    const left = planned(hybrid, {}).waypoints[0];
    expect(stageOf(left?.stages, 'configuration')?.work.uninstall).toEqual(['rack-01']);
    const current = desiredOf({ manifest: manifestOf(hybrid) });
    const gone = planClusterPath({ cluster: 'c', current, attempted: null, desired: null });
    expect(pathText(gone)).toEqual(['destroy: kubernetes configuration infrastructure']);
    expect(stageOf(gone.waypoints[0]?.stages, 'kubernetes')?.work).toEqual({ action: 'reset' });
    expect(gone.waypoints[0]?.target).toBeNull();
  });

  test('a cluster without static nodes is only destroyed by Terraform', () => {
    const current = desiredOf({ manifest: manifestOf(withLb(['api'])) });
    const gone = planClusterPath({ cluster: 'c', current, attempted: null, desired: null });
    expect(pathText(gone)).toEqual(['destroy: infrastructure']);
    const visited = stageOf(gone.waypoints[0]?.stages, 'infrastructure')?.work.workspaces ?? [];
    expect(visited.map(({ destroy }) => destroy)).toEqual([true, true, true]);
  });

  test('pools whose templates changed are replaced one after the other, or as many at once as allowed', () => {
    const wish = { dynamic: [control(1), compute(1), { name: 'more' }], compute: ['compute', 'more'] };
    const templates = { 'aws-1': 'git@2' };
    const directions = (plan: ClusterPlan) => plan.waypoints.map(({ direction }) => direction);
    expect(directions(planned(wish, wish, templates))).toEqual(['grow', 'shrink', 'grow', 'shrink']);
    const current = desiredOf({ manifest: manifestOf(wish) });
    const desired = desiredOf({ manifest: manifestOf(wish), current, templates, ids: 'y' });
    const options = { maxUnavailable: 1, replaceAtOnce: 2 };
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
    expect(directions(plan)).toEqual(['grow', 'shrink']);
  });

  test('a new release of our own templates changes machines in place and replaces none', () => {
    const current = desiredOf({ manifest: manifestOf() });
    const desired = desiredOf({ manifest: manifestOf(), current, templates: { 'aws-1': 'builtin@2' } });
    const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired });
    expect(pathText(plan)).toEqual(['settle: infrastructure']);
  });
});

function planned(from: ManifestWish, to: ManifestWish, templates: Readonly<Record<string, string>> = {}): ClusterPlan {
  const current = desiredOf({ manifest: manifestOf(from), ids: 'x' });
  const desired = desiredOf({ manifest: manifestOf(to), current, templates, ids: 'y' });
  return planClusterPath({ cluster: 'c', current, attempted: null, desired });
}

function pathText(plan: ClusterPlan): readonly string[] {
  return plan.waypoints.map(({ direction, stages }) =>
    [`${direction}:`, ...stages.map(({ stage }) => stage)].join(' '),
  );
}

function stageOf<Name extends StagePlan['stage']>(
  stages: readonly StagePlan[] | undefined,
  name: Name,
): Extract<StagePlan, { stage: Name }> | undefined {
  return stages?.find((plan): plan is Extract<StagePlan, { stage: Name }> => plan.stage === name);
}

function newNodes(plan: ClusterPlan): readonly string[] {
  return plan.waypoints.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.kind === 'NodesAdded' ? change.nodes : [])),
  );
}
