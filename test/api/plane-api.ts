/** An API with a manifest that has a management plane, or gets one. */
import { waypointKeys } from '#contracts/stage.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { planeDocuments } from '#domain/plane-documents.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import { reachedRecords } from '#functions/pipeline/plans/cluster-plans.ts';
import { planningOf } from '#functions/pipeline/plans/planning.ts';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import type { ApiUnderTest, Call } from './api-under-test.ts';

export const key = { namespace: 'team', name: 'mgmt' };
export const manifest = (clusters: readonly string[] = ['mgmt']) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'InputManifest',
  metadata: key,
  spec: {
    providers: [{ name: 'sim-1', providerType: 'sim' }],
    nodePools: {
      dynamic: clusters.map((name) => ({
        name,
        count: 1,
        serverType: 'small',
        image: 'linux',
        providerSpec: { name: 'sim-1', region: 'one' },
      })),
    },
    kubernetes: {
      clusters: clusters.map((name, index) => ({
        name,
        version: '1.34.2',
        network: `192.168.${index + 2}.0/24`,
        pools: { control: [name] },
      })),
    },
  },
});
export const upgraded = aPlane([aComponent({ version: 'v1.12.0' })]);

export const putManifest = (api: ApiUnderTest, document: unknown = manifest()) =>
  api.call('PUT', '/v1/manifests/team/mgmt', { body: document });
export const put = (api: ApiUnderTest, plane: ManagementPlane, call: Call = {}) =>
  api.call('PUT', `/v1/inventory/team/documents/ManagementPlane/${plane.metadata.name}`, { body: plane, ...call });
export const plan = (api: ApiUnderTest, ...documents: unknown[]) =>
  api.call('POST', '/v1/manifests/team/mgmt/plan', {
    body: documents.map((document) => JSON.stringify(document)).join('\n---\n'),
  });
export const planes = async (api: ApiUnderTest) => (await api.call('GET', '/v1/inventory/team')).json.planes;
export const pinned = async ({ deps }: ApiUnderTest) => (await deps.manifests.get(key))?.planes;

export function planeFacts(plane: ManagementPlane, unfinished?: string): NonNullable<ClusterFacts['documents']> {
  return Object.fromEntries(
    planeDocuments(plane).map(({ name, version }) => {
      const applied = { version, hash: 'x', objects: [], contract: 'v1beta2' };
      return [name, unfinished === undefined ? applied : { ...applied, unfinished }];
    }),
  );
}

/** As if a run towards the stored plane had failed; `documents`: what it had applied by then. */
export async function attempted({ deps }: ApiUnderTest, documents?: ClusterFacts['documents']): Promise<void> {
  const manifest = await deps.manifests.get(key);
  if (manifest === undefined) throw new Error('there is no manifest');
  const before = await deps.clusters.list(key);
  for (const record of reachedRecords(planningOf(deps, manifest), manifest, before)) {
    const current = before.find(({ cluster }) => cluster === record.cluster)?.current ?? null;
    const waypointPrefix = 'runs/team/mgmt/mgmt-abcde-g1-a1/mgmt-1234567/w00';
    const facts = { ...record.facts, ...(documents && { documents }) };
    await deps.artifacts.putText(waypointKeys.facts(waypointPrefix), JSON.stringify(facts));
    const change = { status: 'NeedsAttention' as const, attempted: record.current, current, waypointPrefix };
    await deps.clusters.put({ ...record, version: record.version + 1, ...change });
  }
}

/** As if a run had brought the stored plane about. */
export async function installed({ deps }: ApiUnderTest, plane: ManagementPlane, unfinished?: string): Promise<void> {
  const manifest = await deps.manifests.get(key);
  if (manifest === undefined) throw new Error('there is no manifest');
  const before = await deps.clusters.list(key);
  const documents = planeFacts(plane, unfinished);
  for (const record of reachedRecords(planningOf(deps, manifest), manifest, before)) {
    const facts = { ...record.facts, documents };
    await deps.clusters.put({ ...record, version: record.version + 1, status: 'Converged', facts });
  }
}
