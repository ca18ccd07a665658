/** Whether the manifest of an InventoryCluster is what its inventory makes of it. */
import type { ManifestRecord } from '#contracts/records.ts';
import { readObjects } from '#documents/read-objects.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import type { InventoryCluster, Recorded } from '#domain/inventory/inventory-documents.ts';
import type { InventoryIndex } from '#domain/inventory/inventory-index.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { placedFaults } from './stored-inventory.ts';

export function inventoryClusterState(
  cluster: Recorded<InventoryCluster>,
  index: InventoryIndex,
  stored: ManifestRecord | undefined,
) {
  const { name, template, document, faults } = resolveCluster(cluster, index);
  const layers = Object.values(cluster.document.spec.layers).flat();
  const base = { cluster: name, template, layers, changes: [], faults: placedFaults(faults) };
  const verdict = document && validateAsManifest(document, { readObjects });
  if (verdict?.document === undefined) {
    return { ...base, state: 'refused' as const, faults: [...base.faults, ...wireFaults(verdict?.faults ?? [])] };
  }
  if (stored === undefined || stored.deleting) return { ...base, state: 'missing' as const };
  const changes = [...documentChanges(stored.document, verdict.document)];
  return { ...base, changes, state: changes.length === 0 ? ('current' as const) : ('behind' as const) };
}
