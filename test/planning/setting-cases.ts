/** Changes of settings: Kubernetes, proxy, labels, sizes, credentials, templates; and everything at once. */

import { type ChangeCase, withLb } from './change-cases.ts';
import { balancer, compute, control } from './manifests.ts';

const proxy = 'http://proxy.example:8880';

export const settingCases: readonly ChangeCase[] = [
  { title: 'nothing', from: {}, to: {}, path: [], changes: [] },
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
    to: { proxy: { mode: 'on', endpoint: proxy } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'endpoint of the installation proxy',
    from: { proxy: { mode: 'on', endpoint: proxy } },
    to: { proxy: { mode: 'on', endpoint: 'http://proxy.example:3128' } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'noProxy of the installation proxy',
    from: { proxy: { mode: 'on', endpoint: proxy } },
    to: { proxy: { mode: 'on', endpoint: proxy, noProxy: 'internal.example' } },
    path: ['settle: configuration'],
    changes: ['InstallationProxyChanged'],
  },
  {
    title: 'registries and metrics-server: KubeOne alone',
    from: {},
    to: { kubernetes: { metricsServer: false, registries: { overwrite: 'mirror.example:5000' } } },
    path: ['settle: kubernetes'],
    changes: ['KubernetesOptionsChanged'],
  },
  {
    title: 'storage switched on: its documents, in their order',
    from: {},
    to: { kubernetes: { storage: 'longhorn' } },
    path: ['settle: nodes'],
    changes: ['StorageChanged', 'DocumentsChanged'],
  },
  {
    title: 'storage that a manifest does not name any more: it stays',
    from: { kubernetes: { storage: 'longhorn' } },
    to: {},
    path: [],
    changes: [],
  },
  {
    title: 'a compute pool of another provider instance: its class comes after its nodes',
    from: { kubernetes: { storage: 'longhorn' } },
    to: {
      dynamic: [control(1), compute(2), { name: 'more', provider: 'azure-2' }],
      compute: ['compute', 'more'],
      kubernetes: { storage: 'longhorn' },
    },
    path: ['grow: infrastructure configuration kubernetes nodes', 'settle: nodes'],
    changes: ['NodePoolAdded', 'DocumentsChanged'],
  },
  {
    title: 'the last compute pool of a provider instance removed: its class goes after its nodes',
    from: {
      dynamic: [control(1), compute(2), { name: 'more', provider: 'azure-2' }],
      compute: ['compute', 'more'],
      kubernetes: { storage: 'longhorn' },
    },
    to: { kubernetes: { storage: 'longhorn' } },
    path: ['shrink: nodes configuration infrastructure', 'settle: nodes'],
    changes: ['NodePoolRemoved', 'DocumentsChanged'],
  },
  {
    title: 'documents of the manifest, and one of Kubeloom switched off',
    from: { kubernetes: { storage: 'longhorn' } },
    to: {
      kubernetes: {
        storage: 'longhorn',
        documents: [
          { name: 'own', inline: 'kind: ConfigMap' },
          { name: 'longhorn-classes', enabled: false },
        ],
      },
    },
    path: ['settle: nodes'],
    changes: ['DocumentsChanged'],
  },
  {
    title: 'add-ons, and new nodes that may need them',
    from: { kubernetes: { cni: 'external', addons: { path: 'old' } } },
    to: { dynamic: [control(1), compute(3)], kubernetes: { cni: 'external', addons: { path: 'new' } } },
    path: ['grow: infrastructure configuration kubernetes nodes'],
    changes: ['KubernetesOptionsChanged', 'NodesAdded'],
  },
  {
    title: 'other repositories together with an upgrade that needs them',
    from: { kubernetes: { configureRepositories: false } },
    to: { version: '1.35.0' },
    path: ['upgrade: kubernetes'],
    changes: ['KubernetesUpgraded', 'KubernetesOptionsChanged'],
  },
  {
    title: 'defaults that are written out: nothing',
    from: {},
    to: {
      kubernetes: {
        cni: 'cilium',
        nodeLocalDNS: true,
        metricsServer: true,
        configureRepositories: true,
        registries: { mirrors: [] },
      },
    },
    path: [],
    changes: [],
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
    title: 'the order of an autoscaled pool: no machine is touched, and without the autoscaler no stage',
    from: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5, priority: 5 } })] },
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5, priority: 9, price: true } })] },
    path: ['settle:'],
    changes: ['GrowthOrderChanged'],
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
      'shrink: traffic nodes configuration infrastructure',
      'upgrade: kubernetes',
      'settle: infrastructure nodes',
    ],
    changes: [
      'NodesAdded',
      'NodePoolAdded',
      'RolesChanged',
      'NodesAdded',
      'ApiEndpointMoved',
      'NodesRemoved',
      'RolesChanged',
      'KubernetesUpgraded',
      'ApiPortChanged',
      'NodeMetadataChanged',
    ],
  },
];
