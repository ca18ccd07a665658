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

it('no line from a load balancer runs through a pool, a node, the title of a cloud or region, or another load balancer', () => {
  const place = fc.record({
    pool: fc.constantFrom('control', 'work', 'a-pool-with-a-long-name'),
    provider: fc.constantFrom('aws', 'gcp', 'own', 'a-provider-whose-name-is-longer-than-the-titles-of-its-pools'),
    region: fc.constantFrom('eu-central-1', 'us', ''),
  });
  const roles = fc.record({ count: fc.integer({ min: 1, max: 5 }), targets: fc.array(fc.nat(59), { maxLength: 20 }) });
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 60 }),
      fc.array(roles, { minLength: 1, maxLength: 4 }),
      (places, fronts) => {
        const nodes = places.map((one, index) => aNode(`node-${index}`, one));
        const loadBalancers = fronts.map(({ count, targets }, index) => ({
          ...{ name: `front-${index}`, dnsName: `web-${index}.example.com`, servesApi: false },
          roles: Array.from({ length: count }, (_, role) => ({
            ...{ name: `role-${role}`, protocol: 'tcp', port: 443 + role, targetPort: 30443 },
            targets: targets.map((node) => `node-${node}`),
          })),
        }));
        const { edges, clouds, balancers, width } = topologyOf(aCluster({ nodes, loadBalancers }));
        const regions = clouds.flatMap((cloud) => cloud.regions);
        const title = ({ x, y }: Box, text: string, size: number): Box => ({
          x,
          y,
          width: text.length * 7.4,
          height: size,
        });
        const obstacles: Box[] = [
          ...regions.flatMap(({ pools }) => pools),
          ...regions.map((region) => title({ ...region, x: region.x + 12 }, region.title, 20)),
          ...clouds.map((cloud) => title({ ...cloud, x: cloud.x + 14 }, `${cloud.name} ${cloud.type}`, 26)),
          ...balancers,
        ];
        for (const { corners } of edges)
          for (const [index, [x2, y2]] of corners.entries()) {
            const [x1, y1] = corners[Math.max(0, index - 1)] ?? [x2, y2];
            expect(x1 === x2 || y1 === y2).toBe(true);
            expect(Math.min(x1, x2) > 0 && Math.max(x1, x2) < width).toBe(true);
            const part = {
              ...{ x: Math.min(x1, x2), y: Math.min(y1, y2) },
              width: Math.abs(x2 - x1),
              height: Math.abs(y2 - y1),
            };
            for (const obstacle of obstacles) expect(apart(part, obstacle)).toBe(true);
          }
        const pools = regions.flatMap((region) => region.pools);
        const leads = (index: number, pool: (typeof pools)[number]) =>
          pool.nodes.some(({ node }) => fronts[index]?.targets.some((target) => node.name === `node-${target}`));
        expect(edges.length).toBe(fronts.flatMap((_, index) => pools.filter((pool) => leads(index, pool))).length);
      },
    ),
  );
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
