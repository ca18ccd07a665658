/** Where everything of a cluster is drawn. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import { type Box, topologyOf } from '../../console/model/topology.ts';

const aNode = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  ...{
    name,
    pool: 'work',
    role: 'compute',
    provider: 'aws',
    region: 'eu',
    privateAddress: '10.0.0.1',
    status: 'Ready',
  },
  ...change,
});
const aCluster = (change: Partial<ClusterDescription>): ClusterDescription => ({
  ...{ cluster: 'web-1234567', name: 'web', status: 'Converged', kubernetesVersion: '1.36.0', network: null },
  ...{ apiEndpoint: null, progress: null, nodes: [], loadBalancers: [], failure: null, heldPools: [], demand: null },
  ...{ drift: null, simulated: [], kubeconfigPath: null },
  ...change,
});
const apart = (one: Box, other: Box): boolean =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;
const within = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

it('each node is drawn once, inside its pool, region and cloud, and none covers another', () => {
  const node = fc.record({
    pool: fc.constantFrom('control', 'work', 'a-pool-with-a-long-name'),
    provider: fc.constantFrom('aws', 'gcp', 'hetzner', 'own'),
    region: fc.constantFrom('eu-central-1', 'us'),
  });
  fc.assert(
    fc.property(fc.array(node, { maxLength: 120 }), (places) => {
      const nodes = places.map((place, index) => aNode(`node-${index}`, place));
      const { clouds } = topologyOf(aCluster({ nodes }));
      const drawn = clouds.flatMap((cloud) =>
        cloud.regions.flatMap((region) => {
          expect(within(region, cloud)).toBe(true);
          return region.pools.flatMap((pool) => {
            expect(within(pool, region)).toBe(true);
            for (const one of pool.nodes) expect(within(one, pool)).toBe(true);
            return pool.nodes.map((one) => one.node.name);
          });
        }),
      );
      expect(drawn.toSorted()).toEqual(nodes.map(({ name }) => name).toSorted());
      const boxes = clouds.flatMap(({ regions }) => regions.flatMap(({ pools }) => pools));
      for (const [index, one] of boxes.entries())
        for (const other of boxes.slice(index + 1)) expect(apart(one, other)).toBe(true);
      for (const [index, one] of clouds.entries())
        for (const other of clouds.slice(index + 1)) expect(apart(one, other)).toBe(true);
    }),
  );
});

it('a load balancer is connected with the pools whose nodes it leads to', () => {
  const nodes = [aNode('work-1'), aNode('work-2', { provider: 'gcp' }), aNode('idle-1', { pool: 'idle' })];
  const role = { name: 'web', protocol: 'tcp', port: 443, targetPort: 30443, targets: ['work-1', 'work-2'] };
  const balancer = { name: 'front', dnsName: 'web.example.com', servesApi: false, roles: [role] };
  const { edges, balancers } = topologyOf(aCluster({ nodes, loadBalancers: [balancer] }));
  expect(edges.map(({ title }) => title)).toEqual(['front leads to work: web', 'front leads to work: web']);
  expect(balancers).toMatchObject([{ name: 'front', roles: ['web 443/tcp → 30443'] }]);
});

it('the mesh says how many nodes it has, and whether the last check found faults, or that there was none', () => {
  const nodes = [aNode('work-1'), aNode('work-2')];
  const mesh = { nodes: 2, faults: [{ node: 'work-1', message: 'has no peer work-2' }] };
  const drift = { checkedAt: '2026-11-23T08:00:00.000Z', runId: 'a', items: [], unchecked: [], outcome: 'none' };
  const drawn = (change: Partial<ClusterDescription>) => topologyOf(aCluster({ nodes, ...change })).mesh;
  expect(drawn({ mesh, drift })).toMatchObject({ state: 'faulty', text: expect.stringContaining('found 1 fault') });
  const sound = { ...mesh, faults: [] };
  expect(drawn({ mesh: sound, drift })).toMatchObject({ state: 'sound', text: expect.stringContaining('no fault') });
  const partly = drawn({ mesh: sound, drift: { ...drift, unchecked: ['work-1 does not answer'] } });
  expect(partly).toMatchObject({ state: 'unknown', text: expect.stringContaining('could compare') });
  expect(drawn({ mesh: sound })).toMatchObject({ state: 'unknown', text: expect.stringContaining('not checked yet') });
  expect(topologyOf(aCluster({ nodes })).mesh).toBeUndefined();
});
