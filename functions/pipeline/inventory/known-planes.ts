/** Reads the management planes of a namespace, and what is installed of those that a manifest will have. */
import type { ClusterRecord } from '#contracts/records.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import type { Using } from '../../ports.ts';
import type { KnownPlanes, WantedPlanes } from '../assessment/known.ts';
import { clusterName } from '../records/cluster-records.ts';
import { knownFacts } from '../records/known-facts.ts';
import { readInventoryDocument } from './stored-inventory.ts';

/** All of a namespace. Throws `Unreadable`. */
export async function storedPlanes(
  deps: Using<'inventory.list'>,
  namespace: string,
): Promise<readonly ManagementPlane[]> {
  const records = await deps.inventory.list(namespace, 'ManagementPlane');
  return records
    .map(readInventoryDocument)
    .flatMap(({ document }) => (document.kind === 'ManagementPlane' ? [document] : []));
}

export async function withInstalled(
  deps: Using<'artifacts.getText'>,
  planes: WantedPlanes,
  clusters: readonly ClusterRecord[],
): Promise<KnownPlanes> {
  const reading = planes.wanted.map(async ({ spec: { cluster } }) => {
    const record = clusters.find((one) => clusterName(one) === cluster.name);
    return [cluster.name, record && (await knownFacts(deps, record)).documents] as const;
  });
  return { ...planes, installed: Object.fromEntries(await Promise.all(reading)) };
}
