/** What is desired and installed of the management planes of a namespace. */
import type { InventoryList } from '#contracts/inventory.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { planeDocuments, releaseOf } from '#domain/plane-documents.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import { storedPlanes } from '../../pipeline/inventory/stored-inventory.ts';
import { clusterName, driftSinceChange } from '../../pipeline/records/cluster-records.ts';
import { knownFacts } from '../../pipeline/records/known-facts.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';

/** Every plane of a namespace: which releases are desired, and which the cluster has. */
export async function planeRows(deps: ApiPorts, namespace: string): Promise<InventoryList['planes']> {
  const planes = await storedPlanes(deps, namespace);
  return Promise.all(
    planes.map(async (plane) => {
      const { name: cluster, manifest } = plane.spec.cluster;
      const records = await deps.clusters.list({ namespace, name: manifest });
      const record = records.find((one) => clusterName(one) === cluster);
      const components = await componentRows(deps, plane, record);
      const settled = components.every(({ desired, installed, works }) => desired === installed && works);
      const state = record?.current ? (settled ? ('installed' as const) : ('changing' as const)) : ('waiting' as const);
      return { plane: plane.metadata.name, manifest, cluster, state, components };
    }),
  );
}

async function componentRows(deps: ApiPorts, plane: ManagementPlane, record: ClusterRecord | undefined) {
  const facts = record && (await knownFacts(deps, record));
  const drifted = new Map((record?.drift?.items ?? []).map(({ where, message }) => [where.name, message]));
  const compared = record !== undefined && driftSinceChange(record)?.unchecked.length === 0;
  return planeDocuments(plane).map((document) => {
    const { name, component } = document;
    const applied = facts?.documents?.[name];
    // What did not work in time may work by now: a check that finds nothing says so.
    const unfinished = compared ? undefined : applied?.unfinished;
    const complete = applied !== undefined && unfinished === undefined;
    const installed = applied && releaseOf(applied);
    const drift = drifted.get(name);
    return {
      document: name,
      kind: component?.kind ?? 'core',
      provider: component?.provider ?? '',
      ...(component?.instance !== undefined && { instance: component.instance }),
      desired: releaseOf(document) ?? '',
      installed: installed ?? null,
      contract: applied?.contract ?? null,
      works: complete && drift === undefined,
      ...((drift ?? unfinished) !== undefined && { remark: drift ?? unfinished }),
    };
  });
}
