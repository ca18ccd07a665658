/** Changes of load balancers, their roles and names, and of the API endpoint. */

import { type ChangeCase, withLb } from './change-cases.ts';
import { balancer, compute, control, webRole } from './manifests.ts';

export const loadBalancerCases: readonly ChangeCase[] = [
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
];
