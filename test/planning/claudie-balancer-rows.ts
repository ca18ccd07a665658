/** Rows of Claudie's table of changes that are about load balancers and the API endpoint. */
import { withLb } from './change-cases.ts';
import type { RowCase } from './claudie-rows.ts';
import { apiRole, balancer, compute, control, webRole } from './manifests.ts';

const second = { ...webRole, name: 'more', port: 81 };
const front = (dns: Readonly<Record<string, unknown>>, role = 'web') => ({
  loadBalancers: [{ name: 'lb', roles: [role], pools: ['balancer'], dns }],
});
const racked = (...endpoints: string[]) => ({
  static: [{ name: 'rack', endpoints }],
  loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer', 'rack'] }],
});

export const balancerRows: readonly RowCase[] = [
  {
    row: '1',
    title: 'API endpoint from a node to a load balancer that is built',
    from: withLb(['web']),
    to: withLb(['web', 'api']),
    path: [
      'grow: infrastructure(aws-1) traffic(lb)',
      'move: configuration(endpoint of 3) kubernetes(apply) nodes()',
      'settle: infrastructure(hz-1)',
    ],
  },
  {
    row: '2, 3',
    title: 'API load balancer removed: port 6443 opens with the move',
    from: withLb(['api']),
    to: {},
    path: [
      'move: infrastructure(hz-1) configuration(endpoint of 3) kubernetes(apply) nodes()',
      'shrink: configuration(peers of 3) infrastructure(aws-1; destroy names of lb)',
    ],
  },
  {
    row: '4',
    title: 'API load balancer replaced by another',
    from: withLb(['api']),
    to: withLb(['api'], { loadBalancers: [{ name: 'lb2', roles: ['api'], pools: ['balancer'] }] }),
    path: [
      'grow: infrastructure(aws-1; names of lb2) configuration(install balancer-01; peers of 4; build lb2)',
      'move: configuration(endpoint of 3) kubernetes(apply) nodes()',
      'shrink: configuration(peers of 4) infrastructure(aws-1; destroy names of lb)',
    ],
  },
  {
    row: '5',
    title: 'host name of the API load balancer',
    from: withLb(['api']),
    to: withLb(['api'], front({ hostname: 'k8s' }, 'api')),
    path: ['move: infrastructure(names of lb) configuration(endpoint of 3) kubernetes(apply) nodes()'],
  },
  {
    row: '5',
    title: 'zone of the API load balancer',
    from: withLb(['api']),
    to: withLb(['api'], front({ dnsZone: 'other.example' }, 'api')),
    path: ['move: infrastructure(names of lb) configuration(endpoint of 3) kubernetes(apply) nodes()'],
  },
  {
    row: '6',
    title: 'host name of another load balancer',
    from: withLb(['web']),
    to: withLb(['web'], front({ hostname: 'shop' })),
    path: ['settle: infrastructure(names of lb)'],
  },
  {
    row: '6',
    title: 'zone of another load balancer',
    from: withLb(['web']),
    to: withLb(['web'], front({ dnsZone: 'other.example' })),
    path: ['settle: infrastructure(names of lb)'],
  },
  {
    row: '6',
    title: 'DNS provider',
    from: withLb(['web']),
    to: withLb(['web'], front({ provider: 'aws-1' })),
    path: ['settle: infrastructure(names of lb)'],
  },
  {
    row: '6',
    title: 'alternative names',
    from: withLb(['web']),
    to: withLb(['web'], front({ alternativeNames: ['shop', 'store'] })),
    path: ['settle: infrastructure(names of lb)'],
  },
  {
    row: '7',
    title: 'dynamic nodes added to a load balancer',
    from: withLb(['web']),
    to: withLb(['web'], { dynamic: [control(1), compute(2), balancer(2)] }),
    path: ['grow: infrastructure(aws-1; names of lb) configuration(install balancer-02; peers of 4; build lb)'],
  },
  {
    row: '7',
    title: 'dynamic pool added to a load balancer',
    from: withLb(['web']),
    to: withLb(['web'], {
      dynamic: [control(1), compute(2), balancer(1), { name: 'far', provider: 'azure-2' }],
      loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer', 'far'] }],
    }),
    path: ['grow: infrastructure(azure-2; names of lb) configuration(install far-01; peers of 4; build lb)'],
  },
  {
    row: '8',
    title: 'static nodes added to a load balancer',
    from: withLb(['web'], racked('203.0.113.1')),
    to: withLb(['web'], racked('203.0.113.1', '203.0.113.2')),
    path: ['grow: infrastructure(names of lb) configuration(install rack-02; peers of 5; build lb)'],
  },
  {
    row: '9',
    title: 'dynamic nodes removed from a load balancer',
    from: withLb(['web'], { dynamic: [control(1), compute(2), balancer(2)] }),
    to: withLb(['web']),
    path: ['shrink: configuration(peers of 4) infrastructure(aws-1; names of lb)'],
  },
  {
    row: '10',
    title: 'static pool removed from a load balancer',
    from: withLb(['web'], racked('203.0.113.1')),
    to: withLb(['web']),
    path: ['shrink: configuration(peers of 4; clean rack-01) infrastructure(names of lb)'],
  },
  {
    row: '11',
    title: 'a node of a load balancer marked for deletion is replaced',
    from: withLb(['web']),
    to: withLb(['web']),
    leaving: /^balancer.*-01$/,
    path: [
      'grow: infrastructure(aws-1; names of lb) configuration(install balancer-02; peers of 4; build lb)',
      'shrink: configuration(peers of 4) infrastructure(aws-1; names of lb)',
    ],
  },
  {
    row: '15',
    title: 'a load balancer added',
    from: {},
    to: withLb(['web']),
    path: ['grow: infrastructure(aws-1; names of lb) configuration(install balancer-01; peers of 3; build lb)'],
  },
  {
    row: '16',
    title: 'a role added',
    from: withLb(['web'], { roles: [webRole, second] }),
    to: withLb(['web', 'more'], { roles: [webRole, second] }),
    path: ['grow: infrastructure(aws-1) traffic(lb)'],
  },
  {
    row: '17',
    title: 'a role removed',
    from: withLb(['web', 'more'], { roles: [webRole, second] }),
    to: withLb(['web'], { roles: [webRole] }),
    path: ['shrink: traffic(lb) infrastructure(aws-1)'],
  },
  {
    row: '18',
    title: 'target pools of a role',
    from: withLb(['web']),
    to: withLb(['web'], { roles: [apiRole, { ...webRole, target: 'k8sAllNodes' }] }),
    path: ['settle: traffic(lb)'],
  },
  {
    row: '19',
    title: 'a load balancer removed',
    from: withLb(['web']),
    to: {},
    path: ['shrink: configuration(peers of 3) infrastructure(aws-1; destroy names of lb)'],
  },
  {
    row: '20',
    title: 'port 6443 closes once the load balancer is the endpoint',
    from: {},
    to: withLb(['api']),
    path: [
      'grow: infrastructure(aws-1; names of lb) configuration(install balancer-01; peers of 3; build lb)',
      'move: configuration(endpoint of 3) kubernetes(apply) nodes()',
      'settle: infrastructure(hz-1)',
    ],
  },
  {
    row: '24',
    title: 'target port of a role',
    from: withLb(['web']),
    to: withLb(['web'], { roles: [apiRole, { ...webRole, targetPort: 30081 }] }),
    path: ['settle: traffic(lb)'],
  },
  {
    row: '24',
    title: 'proxy protocol and sticky sessions',
    from: withLb(['web']),
    to: withLb(['web'], { roles: [apiRole, { ...webRole, settings: { proxyProtocol: true, stickySessions: true } }] }),
    path: ['settle: traffic(lb)'],
  },
  {
    row: '25',
    title: 'port of a role',
    from: withLb(['web']),
    to: withLb(['web'], { roles: [apiRole, { ...webRole, port: 8080 }] }),
    path: ['settle: infrastructure(aws-1) traffic(lb)'],
  },
  {
    row: '25',
    title: 'protocol of a role',
    from: withLb(['web']),
    to: withLb(['web'], { roles: [apiRole, { ...webRole, protocol: 'udp' }] }),
    path: ['settle: infrastructure(aws-1) traffic(lb)'],
  },
  {
    row: '26',
    title: 'templates of a load balancer pool: a new instance first',
    from: withLb(['web'], { dynamic: [control(1), compute(2, { provider: 'azure-1' }), balancer(1)] }),
    to: withLb(['web'], { dynamic: [control(1), compute(2, { provider: 'azure-1' }), balancer(1)] }),
    templates: { 'aws-1': 'git@2' },
    path: [
      'grow: infrastructure(aws-1; names of lb) configuration(install balancer-01; peers of 4; build lb)',
      'shrink: configuration(peers of 4) infrastructure(aws-1; names of lb)',
    ],
  },
];
