/** Where everything of a cluster is drawn. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { Box, Corners } from '../../console/model/drawn.ts';
import { healthChecksText, kubernetesText } from '../../console/model/node-health.ts';
import { topologyOf } from '../../console/model/topology.ts';

const aNode = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  pool: 'work',
  role: 'compute',
  provider: 'aws',
  region: 'eu',
  privateAddress: '10.0.0.1',
  status: 'Ready',
  ...change,
});
const aCluster = (change: Partial<ClusterDescription>): ClusterDescription => ({
  cluster: 'web-1234567',
  name: 'web',
  status: 'Converged',
  kubernetesVersion: '1.36.0',
  network: null,
  apiEndpoint: null,
  progress: null,
  nodes: [],
  loadBalancers: [],
  failure: null,
  heldPools: [],
  demand: null,
  drift: null,
  simulated: [],
  kubeconfigPath: null,
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

/** Box of the part of a line that ends at this corner. */
function partOf(path: Corners, index: number): Box {
  const [x2, y2] = path[index] ?? [0, 0];
  const [x1, y1] = path[Math.max(0, index - 1)] ?? [x2, y2];
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

it('each node is drawn once, or counted in the block of its pool, inside its pool, region and cloud, and none covers another', () => {
  const node = fc.record({
    pool: fc.constantFrom('control', 'work', 'a-pool-with-a-long-name'),
    provider: fc.constantFrom('aws', 'gcp'),
    region: fc.constantFrom('eu-central-1', 'us'),
    status: fc.constantFrom('Ready', 'Ready', 'Joining', 'Gone'),
  });
  const some = fc.array(node, { maxLength: 120 });
  // One pool, so that it can be larger than a block.
  const large = fc.array(node, { minLength: 100, maxLength: 140 });
  const ofOne = large.map((all) => all.map((one) => ({ ...one, pool: 'work', provider: 'aws', region: 'us' })));
  fc.assert(
    fc.property(fc.oneof(some, ofOne), fc.constantFrom(300, 700, 1180), (places, room) => {
      const nodes = places.map((place, index) => aNode(`node-${index}`, place));
      const { clouds } = topologyOf(aCluster({ nodes }), room);
      let counted = 0;
      const drawn = clouds.flatMap((cloud) =>
        cloud.regions.flatMap((region) => {
          expect(within(region, cloud)).toBe(true);
          return region.pools.flatMap((pool) => {
            expect(within(pool, region)).toBe(true);
            const { block, more } = pool;
            for (const one of [...pool.nodes, ...(block ? [block] : [])]) expect(within(one, pool)).toBe(true);
            const left = Number(/^and (\d+) more/.exec(more?.text ?? '')?.[1] ?? 0);
            counted += (block?.ready ?? 0) + left;
            return pool.nodes.map((one) => one.node.name);
          });
        }),
      );
      expect(new Set(drawn).size + counted).toBe(nodes.length);
      if (counted === 0) expect(drawn.toSorted()).toEqual(nodes.map(({ name }) => name).toSorted());
      const boxes = clouds.flatMap(({ regions }) => regions.flatMap(({ pools }) => pools));
      for (const [index, one] of boxes.entries())
        for (const other of boxes.slice(index + 1)) expect(apart(one, other)).toBe(true);
      for (const [index, one] of clouds.entries())
        for (const other of clouds.slice(index + 1)) expect(apart(one, other)).toBe(true);
    }),
  );
});

it('a pool of more than forty nodes is a block with the number of those that are ready, next to each of the others', () => {
  const nodes = Array.from({ length: 100 }, (_, index) =>
    aNode(`node-${index}`, index < 3 ? { status: 'NotReady' } : {}),
  );
  const [pool] = topologyOf(aCluster({ nodes })).clouds[0]?.regions[0]?.pools ?? [];
  expect(pool).toMatchObject({ detail: 'compute · 97 of 100 ready', block: { ready: 97 }, more: undefined });
  expect(pool?.nodes.map(({ node }) => node.name)).toEqual(['node-0', 'node-1', 'node-2']);
  const down = nodes.map((node) => ({ ...node, status: 'Gone' as const }));
  const [gone] = topologyOf(aCluster({ nodes: down })).clouds[0]?.regions[0]?.pools ?? [];
  expect(gone).toMatchObject({ detail: 'compute · 0 of 100 ready', more: { text: 'and 60 more that are not ready' } });
  expect([gone?.nodes.length, gone?.block?.ready]).toEqual([40, 0]);
});

it('a load balancer is connected with the pools whose nodes it leads to', () => {
  const nodes = [aNode('work-1'), aNode('work-2', { provider: 'gcp' }), aNode('idle-1', { pool: 'idle' })];
  const role = { name: 'web', protocol: 'tcp', port: 443, targetPort: 30443, targets: ['work-1', 'work-2'] };
  const balancer = { name: 'front', dnsName: 'web.example.com', servesApi: false, roles: [role] };
  const { edges, balancers, clouds } = topologyOf(aCluster({ nodes, loadBalancers: [balancer] }));
  expect(edges.map(({ title }) => title)).toEqual(['front leads to work: web', 'front leads to work: web']);
  expect(balancers).toMatchObject([{ name: 'front', roles: ['web 443/tcp → 30443'] }]);
  const pools = clouds.flatMap(({ regions }) => regions.flatMap((region) => region.pools));
  const texts = pools.map(({ pool, served }) => [pool, ...served.map(({ text }) => text)]);
  expect(texts.toSorted()).toEqual([['idle'], ['work', 'web 443/tcp → 30443'], ['work', 'web 443/tcp → 30443']]);
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
      fc.constantFrom(300, 700, 1180),
      (places, fronts, room) => {
        const nodes = places.map((one, index) => aNode(`node-${index}`, one));
        const loadBalancers = fronts.map(({ count, targets }, index) => ({
          name: `front-${index}`,
          dnsName: `web-${index}.example.com`,
          servesApi: false,
          roles: Array.from({ length: count }, (_, role) => ({
            name: `role-${role}`,
            protocol: 'tcp',
            port: 443 + role,
            targetPort: 30443,
            targets: targets.map((node) => `node-${node}`),
          })),
        }));
        const { edges, clouds, balancers, width } = topologyOf(aCluster({ nodes, loadBalancers }), room);
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
            const part = partOf(corners, index);
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

it('wires lead from each cloud to the mesh, past all clouds that they are not of, and its text has room', () => {
  const place = fc.record({
    pool: fc.constantFrom('control', 'work'),
    provider: fc.constantFrom('aws', 'azure', 'gcp', 'hetzner', 'oci', 'own'),
    region: fc.constantFrom('eu', 'us'),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 60 }), fc.constantFrom(300, 700, 1180), (places, room) => {
      const nodes = places.map((one, index) => aNode(`node-${index}`, one));
      const { mesh, clouds, width, height } = topologyOf(
        aCluster({ nodes, mesh: { nodes: nodes.length, faults: [] } }),
        room,
      );
      if (!mesh) throw new Error('there is a mesh');
      expect(within(mesh, { x: 0, y: 0, width, height })).toBe(true);
      for (const line of mesh.lines) expect(line.length * 7).toBeLessThan(mesh.width);
      // Each of them begins at the lower edge of its cloud.
      const starts = mesh.wires.flatMap(([start]) => (start ? [start] : []));
      for (const { x, y, width: wide, height: high } of clouds) expect(starts).toContainEqual([x + wide / 2, y + high]);
      for (const wire of mesh.wires)
        for (const index of wire.keys()) {
          const part = partOf(wire, index);
          expect(part.x > 0 && part.x + part.width < width).toBe(true);
          for (const cloud of clouds) expect(apart(part, cloud)).toBe(true);
        }
    }),
  );
});

it('the mesh shows how many nodes it has, and whether the last check found faults or no check was done', () => {
  const nodes = [aNode('work-1'), aNode('work-2')];
  const mesh = { nodes: 2, faults: [{ node: 'work-1', message: 'has no peer work-2' }] };
  const drift = { checkedAt: '2026-11-23T08:00:00.000Z', runId: 'a', items: [], unchecked: [], outcome: 'none' };
  const drawn = (change: Partial<ClusterDescription>) => topologyOf(aCluster({ nodes, ...change })).mesh;
  expect(drawn({ mesh, drift })).toMatchObject({ state: 'faulty', found: expect.stringContaining('found 1 fault') });
  const sound = { ...mesh, faults: [] };
  expect(drawn({ mesh: sound, drift })).toMatchObject({ state: 'sound', found: expect.stringContaining('no fault') });
  const partly = drawn({ mesh: sound, drift: { ...drift, unchecked: ['work-1 does not answer'] } });
  expect(partly).toMatchObject({ state: 'unknown', found: expect.stringContaining('could compare') });
  expect(drawn({ mesh: sound })).toMatchObject({ state: 'unknown', found: expect.stringContaining('not checked yet') });
  expect(topologyOf(aCluster({ nodes })).mesh).toBeUndefined();
});

it('a node says what Kubernetes said of it at the last check, and that it is not known where nothing was asked or compared', () => {
  const checkedAt = '2026-11-23T08:00:00.000Z';
  const now = Date.parse(checkedAt) + 120_000;
  const drift = { checkedAt, runId: 'a', items: [], unchecked: [], outcome: 'none' };
  const record = { node: 'work-1', looks: 1, seenAt: checkedAt };
  const textOf = (change: Partial<NonNullable<ClusterDescription['drift']>>) =>
    kubernetesText(aNode('work-1'), { drift: { ...drift, ...change } }, now);
  expect(textOf({})).toBe('ready, asked 2 min ago');
  expect(textOf({ health: [{ ...record, health: 'notReady', since: checkedAt }] })).toBe(
    'not ready for 2 min, asked 2 min ago',
  );
  expect(textOf({ health: [{ ...record, health: 'gone', ready: true }] })).toMatch(/^ready, although its machine/);
  expect(textOf({ health: [{ ...record, health: 'healthy', locked: true }] })).toMatch(/locked/);
  expect(textOf({ unchecked: ['Kubernetes does not answer'] })).toMatch(/^not known/);
  expect(kubernetesText(aNode('work-1'), { drift: null }, now)).toMatch(/^not asked yet/);
  expect(kubernetesText(aNode('front-1', { role: 'loadBalancer' }), { drift }, now)).toBe('');
  const health = { state: 'unhealthy', since: checkedAt, checkedAt } as const;
  expect(healthChecksText(aNode('work-1', { health }), now)).toBe('one fails since 2 min ago, asked 2 min ago');
  expect(healthChecksText(aNode('work-1'), now)).toBe('');
});
