/** What the description of a cluster says of its shape: where nodes are, what load balancers lead to, the mesh. */
import { describe, expect, it } from 'vitest';
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import { apiUnderTest } from './api-under-test.ts';
import { manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aState } from './records.ts';

async function described(change: Partial<ClusterRecord>): Promise<ClusterDescription> {
  const { deps, call } = apiUnderTest();
  await deps.manifests.create(aRecord());
  await deps.clusters.put(aClusterRecord({ status: 'Converged', ...change }));
  const { status, json } = await call('GET', manifestPath);
  expect(status).toBe(200);
  const [cluster] = (json as { clusters: ClusterDescription[] }).clusters;
  if (!cluster) throw new Error('there is no cluster');
  return cluster;
}

const withPools = (state: ClusterState, change: (pool: NodePoolState) => NodePoolState): ClusterState => ({
  ...state,
  pools: state.pools.map(change),
});

describe('the topology of a cluster', () => {
  it('a node has the zone of its pool and the server type that it has now', async () => {
    const current = withPools(aState(['compute-00']), (pool) => ({
      ...pool,
      source: pool.source.kind === 'dynamic' ? { ...pool.source, zone: 'b', serverType: 'large' } : pool.source,
      nodes: pool.nodes.map((node) => (pool.name === 'compute' ? { ...node, serverType: 'small' } : node)),
    }));
    const { nodes } = await described({ current });
    const shown = nodes.map(({ name, zone, serverType }) => [name, zone, serverType]);
    expect(shown).toEqual([
      ['control-00', 'b', 'large'],
      ['compute-00', 'b', 'small'],
      ['edge-00', undefined, 'small'],
    ]);
  });

  it('a load balancer names its own pools, and the nodes that each role leads to', async () => {
    const { loadBalancers } = await described({ current: aState(['compute-00']) });
    expect(loadBalancers).toMatchObject([
      { name: 'front', pools: ['edge'], roles: [{ name: 'api', targetPools: ['control'], targets: ['control-00'] }] },
    ]);
  });

  it('the Kubernetes API of a pool that is used as control and compute is served by the control nodes only', async () => {
    const state = aState(['compute-00']);
    const current = withPools(state, (pool) => ({ ...pool, name: 'both' }));
    for (const { roles } of current.loadBalancers) {
      roles.push(...roles.map((role) => ({ ...role, name: 'web', port: 443, targetPort: 30443, servesApi: false })));
      for (const role of roles) role.targetPools = ['both'];
    }
    const [front] = (await described({ current })).loadBalancers;
    expect(front?.roles.map(({ name, targets }) => [name, targets])).toEqual([
      ['api', ['control-00']],
      ['web', ['control-00', 'compute-00']],
    ]);
  });

  it('the mesh has all nodes, and what the last check found of its connections', async () => {
    const items = [
      { kind: 'mesh' as const, where: { node: 'compute-00' }, message: 'has no peer edge-00', repairable: true },
      { kind: 'node' as const, where: { node: 'compute-00' }, message: 'is old', repairable: true },
    ];
    const drift = { runId: 'shop-1', checkedAt: '2026-11-20T12:00:00.000Z', items, outcome: 'reported', unchecked: [] };
    const { mesh, providers } = await described({ current: aState(['compute-00']), drift });
    expect(mesh).toEqual({ nodes: 3, faults: [{ node: 'compute-00', message: 'has no peer edge-00' }] });
    expect(providers).toEqual([{ name: 'sim-1', type: 'sim' }]);
  });

  it('machines without a mesh have none', async () => {
    const { mesh } = await described({ current: { ...aState([]), meshless: true } });
    expect(mesh).toBeUndefined();
  });
});
