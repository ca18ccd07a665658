/** Manifests that are made from an InventoryCluster belong to it: no one else changes them, and it takes over no others. */
import { PipelineError } from '#domain/errors.ts';
import { inventoryAnnotation } from '#domain/inventory/resolve-cluster.ts';
import { isMap } from '#domain/json.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';

interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** Why the InventoryCluster of its name may not change a stored manifest; undefined when it may. */
export function manifestOwnerFault({ namespace, name }: Key, stored: unknown) {
  if (ownerIn(stored) === name) return undefined;
  return {
    path: 'metadata.annotations',
    reason: `there is a manifest "${namespace}/${name}" that is not made from the inventory`,
    fix: `add the annotation ${inventoryAnnotation}: ${name} to it if the inventory is to take it over`,
  };
}

/** Throws `InUse` for a manifest that is made from an InventoryCluster: the next one would undo what a person changes in it. */
export async function refuseInventoryOwned(
  deps: Pick<SubmissionPorts, 'inventory'>,
  { namespace, name }: Key,
  documents: readonly unknown[],
): Promise<void> {
  if (!documents.some((document) => ownerIn(document) === name)) return;
  const owner = await deps.inventory.get({ namespace, kind: 'InventoryCluster', name });
  if (owner === undefined) return;
  const way =
    'change its values or layers, or delete the InventoryCluster: the manifest stays then, as an ordinary one';
  throw new PipelineError(
    'InUse',
    `manifest "${namespace}/${name}" is made from the InventoryCluster of its name; ${way}`,
  );
}

function ownerIn(document: unknown): unknown {
  const metadata = isMap(document) ? document.metadata : undefined;
  const annotations = isMap(metadata) ? metadata.annotations : undefined;
  return isMap(annotations) ? annotations[inventoryAnnotation] : undefined;
}
