/** Rows of Claudie's table of changes that are about nodes, Kubernetes and settings; create and delete. */
import { withLb } from './change-cases.ts';
import type { RowCase } from './claudie-rows.ts';
import { compute, control } from './manifests.ts';

const rack = (...endpoints: string[]) => ({
  static: [{ name: 'rack', endpoints }],
  dynamic: [control(1)],
  compute: ['rack'],
});
const marked = { tier: 'a' };

const proxy = 'http://proxy.example:8880';

export const kubernetesRows: readonly RowCase[] = [
  {
    row: '12',
    title: 'the control node that is the API endpoint goes, another is there',
    from: { dynamic: [control(1), { name: 'brain', provider: 'azure-1' }, compute(2)], control: ['control', 'brain'] },
    to: { dynamic: [{ name: 'brain', provider: 'azure-1' }, compute(2)], control: ['brain'] },
    path: [
      'move: configuration(endpoint of 4) kubernetes(apply) nodes()',
      'shrink: nodes(remove control-01) configuration(peers of 3) infrastructure(destroy hz-1)',
    ],
  },
  {
    row: '13',
    title: 'dynamic pool added',
    from: {},
    to: {
      dynamic: [control(1), compute(2), { name: 'far', provider: 'azure-2', count: 2 }],
      compute: ['compute', 'far'],
    },
    path: [
      'grow: infrastructure(azure-2) configuration(install far-01, far-02; peers of 3) kubernetes(apply) nodes(patch far-01, far-02)',
    ],
  },
  {
    row: '13',
    title: 'nodes added to a dynamic pool that a load balancer targets',
    from: withLb(['web']),
    to: withLb(['web'], { dynamic: [control(1), compute(3), { name: 'balancer' }] }),
    path: [
      'grow: infrastructure(aws-1) configuration(install compute-03; peers of 4) kubernetes(apply) nodes(patch compute-03) traffic(lb)',
    ],
  },
  {
    row: '13',
    title: 'control nodes added',
    from: {},
    to: { dynamic: [control(3), compute(2)] },
    path: [
      'grow: infrastructure(hz-1) configuration(install control-02, control-03; peers of 3) kubernetes(apply) nodes(patch control-02, control-03)',
    ],
  },
  {
    row: '14',
    title: 'static nodes added',
    from: rack('203.0.113.1'),
    to: rack('203.0.113.1', '203.0.113.2'),
    path: ['grow: configuration(install rack-02; peers of 2) kubernetes(apply) nodes(patch rack-02)'],
  },
  {
    row: '14',
    title: 'static pool added',
    from: {},
    to: { ...rack('203.0.113.1'), dynamic: [control(1), compute(2)], compute: ['compute', 'rack'] },
    path: ['grow: configuration(install rack-01; peers of 3) kubernetes(apply) nodes(patch rack-01)'],
  },
  {
    row: '21',
    title: 'dynamic nodes removed from a pool that a load balancer targets',
    from: withLb(['web']),
    to: withLb(['web'], { dynamic: [control(1), compute(1), { name: 'balancer' }] }),
    path: ['shrink: traffic(lb) nodes(remove compute-02) configuration(peers of 3) infrastructure(aws-1)'],
  },
  {
    row: '21',
    title: 'dynamic pool removed, control nodes last',
    from: { dynamic: [control(3), compute(2)] },
    to: { dynamic: [control(1)], compute: [] },
    path: [
      'shrink: nodes(remove compute-01, compute-02, control-02, control-03) configuration(peers of 1) infrastructure(hz-1; destroy aws-1)',
    ],
  },
  {
    row: '22',
    title: 'static nodes removed',
    from: rack('203.0.113.1', '203.0.113.2'),
    to: rack('203.0.113.1'),
    path: ['shrink: nodes(remove rack-02) configuration(peers of 2; clean rack-02)'],
  },
  {
    row: '23',
    title: 'a node marked for deletion is replaced: the new one first',
    from: {},
    to: {},
    leaving: /^compute.*-01$/,
    path: [
      'grow: infrastructure(aws-1) configuration(install compute-03; peers of 3) kubernetes(apply) nodes(patch compute-03)',
      'shrink: nodes(remove compute-01) configuration(peers of 3) infrastructure(aws-1)',
    ],
  },
  {
    row: '23',
    title: 'a node of an autoscaled pool marked for deletion just goes',
    from: { dynamic: [control(1), compute(0, { autoscaler: { min: 2, max: 5 } })] },
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5 } })] },
    leaving: /^compute.*-01$/,
    path: ['shrink: nodes(remove compute-01) configuration(peers of 2) infrastructure(aws-1)', 'settle:'],
  },
  {
    row: '27',
    title: 'Kubernetes version: one waypoint a minor',
    from: {},
    to: { version: 'v1.36.2' },
    path: ['upgrade: kubernetes(apply)', 'upgrade: kubernetes(apply)'],
  },
  {
    row: '28',
    title: 'proxy off',
    from: { proxy: { mode: 'on', endpoint: proxy } },
    to: { proxy: { mode: 'off' } },
    path: ['settle: configuration(proxy of 3)'],
  },
  {
    row: '29',
    title: 'proxy on',
    from: { proxy: { mode: 'off' } },
    to: { proxy: { mode: 'on', endpoint: proxy } },
    path: ['settle: configuration(proxy of 3)'],
  },
  {
    row: '29',
    title: 'noProxy',
    from: { proxy: { mode: 'on', endpoint: proxy } },
    to: { proxy: { mode: 'on', endpoint: proxy, noProxy: 'in.example' } },
    path: ['settle: configuration(proxy of 3)'],
  },
  {
    row: '29',
    title: 'only the endpoint of the proxy',
    from: { proxy: { mode: 'on', endpoint: proxy } },
    to: { proxy: { mode: 'on', endpoint: 'http://proxy.example:3128' } },
    path: ['settle: configuration(proxy of 3)'],
  },
  {
    row: '29',
    title: 'default, with an endpoint: on as soon as there is a Hetzner pool',
    from: { proxy: { mode: 'default', endpoint: proxy }, dynamic: [control(1, { provider: 'azure-1' }), compute(2)] },
    to: {
      proxy: { mode: 'default', endpoint: proxy },
      dynamic: [control(1, { provider: 'azure-1' }), compute(2), { name: 'hz', provider: 'hz-1' }],
      compute: ['compute', 'hz'],
    },
    path: [
      'grow: infrastructure(hz-1) configuration(install hz-01; peers of 3; proxy of 3) kubernetes(apply) nodes(patch hz-01)',
    ],
  },
  {
    row: '30',
    title: 'labels',
    from: {},
    to: { dynamic: [control(1), compute(2, { labels: marked })] },
    path: ['settle: nodes(patch compute-01, compute-02)'],
  },
  {
    row: '30',
    title: 'annotations',
    from: {},
    to: { dynamic: [control(1), compute(2, { annotations: marked })] },
    path: ['settle: nodes(patch compute-01, compute-02)'],
  },
  {
    row: '30',
    title: 'taints taken away',
    from: { dynamic: [control(1), compute(2, { taints: [{ key: 'only', effect: 'NoSchedule' }] })] },
    to: {},
    path: ['settle: nodes(patch compute-01, compute-02)'],
  },
  {
    row: '31',
    title: 'fixed to autoscaled',
    from: {},
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 5 } })] },
    path: ['settle:'],
  },
  {
    row: '31',
    title: 'other bounds, the number still within',
    from: { dynamic: [control(1), compute(0, { autoscaler: { min: 2, max: 5 } })] },
    to: { dynamic: [control(1), compute(0, { autoscaler: { min: 1, max: 9 } })] },
    path: ['settle:'],
  },
  {
    row: '32',
    title: 'autoscaled to fixed',
    from: { dynamic: [control(1), compute(0, { autoscaler: { min: 2, max: 5 } })] },
    to: {},
    path: ['settle:'],
  },
  {
    row: '33',
    title: 'templates of Kubernetes pools: one pool after the other, the new instance first',
    from: { dynamic: [control(1), compute(2), { name: 'more' }], compute: ['compute', 'more'] },
    to: { dynamic: [control(1), compute(2), { name: 'more' }], compute: ['compute', 'more'] },
    templates: { 'aws-1': 'git@2' },
    path: [
      'grow: infrastructure(aws-1) configuration(install compute-01, compute-02; peers of 4) kubernetes(apply) nodes(patch compute-01, compute-02)',
      'shrink: nodes(remove compute-01, compute-02) configuration(peers of 4) infrastructure(aws-1)',
      'grow: infrastructure(aws-1) configuration(install more-01; peers of 4) kubernetes(apply) nodes(patch more-01)',
      'shrink: nodes(remove more-01) configuration(peers of 4) infrastructure(aws-1)',
    ],
  },
  {
    row: '34',
    title: 'drift of the mesh is repaired',
    from: {},
    to: {},
    drift: [{ kind: 'mesh', where: {} }],
    path: ['repair: configuration(peers of 3)'],
  },
  {
    row: '35',
    title: 'drift of everything is repaired',
    from: withLb(['web']),
    to: withLb(['web']),
    drift: [
      { kind: 'network', where: { provider: 'hz-1' } },
      { kind: 'network', where: { provider: 'aws-1' } },
      { kind: 'dns', where: { name: 'lb' } },
      ...['control-01', 'compute-01', 'compute-02', 'balancer-01'].map((node) => ({
        kind: 'node' as const,
        where: { node },
      })),
      { kind: 'mesh', where: {} },
      { kind: 'version', where: {} },
    ],
    path: [
      'repair: infrastructure(hz-1; aws-1; names of lb) configuration(install control-01, compute-01, compute-02, balancer-01; build lb) kubernetes(apply) nodes(patch control-01, compute-01, compute-02)',
    ],
  },
  {
    row: '35',
    title: 'lost machines are recreated, and what Kubernetes has of the old ones is removed first',
    from: withLb(['web']),
    to: withLb(['web']),
    drift: ['compute-01', 'balancer-01'].map((node) => ({
      kind: 'machine' as const,
      where: { node, provider: 'hz-1' },
    })),
    path: [
      'repair: infrastructure(hz-1; names of lb) configuration(install compute-01, balancer-01; peers of 2; build lb) kubernetes(apply; remove old compute-01) nodes(patch compute-01)',
    ],
  },
  {
    row: 'C',
    title: 'a cluster is made',
    to: withLb(['api', 'web']),
    path: [
      'grow: infrastructure(hz-1; aws-1; names of lb) configuration(install control-01, compute-01, compute-02, balancer-01; build lb) kubernetes(apply) nodes(patch control-01, compute-01, compute-02)',
    ],
  },
  {
    row: 'D',
    title: 'a cluster is deleted',
    from: withLb(['api']),
    path: ['destroy: infrastructure(destroy hz-1; destroy aws-1; destroy names of lb)'],
  },
  {
    row: 'D',
    title: 'a cluster with static nodes is deleted: Kubernetes is taken off them, and they are cleaned',
    from: rack('203.0.113.1'),
    path: ['destroy: kubernetes(reset) configuration(clean rack-01) infrastructure(destroy hz-1)'],
  },
];
