/** What every table of changes is made of, and the cases about nodes and pools. */
import { balancer, compute, control, type ManifestSpec } from './manifests.ts';

/** The usual cluster with the load balancer `lb` of one node. */
export const withLb = (roles: readonly string[], more: ManifestSpec = {}): ManifestSpec => ({
  dynamic: [control(1), compute(2), balancer(1)],
  loadBalancers: [{ name: 'lb', roles, pools: ['balancer'] }],
  ...more,
});

export interface ChangeCase {
  readonly title: string;
  readonly from?: ManifestSpec;
  readonly to: ManifestSpec;
  readonly templates?: Readonly<Record<string, string>>;
  /** `direction: stage stage …` of each waypoint. */
  readonly path: readonly string[];
  /** Kinds of the changes of all waypoints. */
  readonly changes: readonly string[];
}

export const nodeCases: readonly ChangeCase[] = [
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
];
