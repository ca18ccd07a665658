/** All that follows from a document without any service: what its rules say, the states that planning desires, what it becomes. */
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import {
  InventoryCluster,
  InventoryLayer,
  InventoryOrder,
  InventoryTemplate,
  type Recorded,
} from '#domain/inventory/inventory-documents.ts';
import { indexInventory } from '#domain/inventory/inventory-index.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { isMap } from '#domain/json.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { bindingOf, RoleBinding } from '#domain/manifest/role-binding.ts';
import { secretUses } from '#domain/manifest/secrets/secret-uses.ts';
import { validateSecret } from '#domain/manifest/secrets/validate-secret.ts';
import { capacityOf } from '#domain/node-capacity.ts';
import { planeDocuments } from '#domain/plane-documents.ts';
import { ManagementPlane } from '#domain/planes/management-plane.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { settingsIn } from '#domain/roll-out/roll-out-settings.ts';
import { repairPolicies } from '#functions/pipeline/drift/repair-policies.ts';
import { countingIds } from '#test/planning/arbitraries.ts';

const context = { readObjects };

/** `others`: the documents that it is stored next to. */
export function effectOf(document: unknown, others: readonly unknown[]): unknown {
  const [verdict] = validateDocuments([document], context);
  const rules = { faults: verdict?.faults, warnings: verdict?.warnings };
  return { ...rules, becomes: verdict?.document === undefined ? undefined : whatBecomes(document, others) };
}

function whatBecomes(document: unknown, others: readonly unknown[]): unknown {
  switch (isMap(document) ? document.kind : undefined) {
    case 'InputManifest':
    case 'MachineGroups':
      return desired(document);
    case 'Secret':
      return validateSecret(document, []).secret;
    case 'RoleBinding':
      return bindingOf(RoleBinding.parse(document));
    case 'ManagementPlane':
      return planeDocuments(ManagementPlane.parse(document));
    default:
      return manifestsMade([...others, document]);
  }
}

function desired(document: unknown): unknown {
  const { manifest } = validateAsManifest(document, context);
  if (manifest === undefined) return undefined;
  const states = manifest.spec.kubernetes.clusters.map(({ name }) => {
    const question = { manifest, cluster: name, current: null, attempted: null, templates: {} };
    return buildDesiredState({ ...question, ids: countingIds('x') });
  });
  const capacities = manifest.spec.nodePools.dynamic.map(capacityOf);
  return { states, uses: [...secretUses(manifest)], repairs: repairPolicies(manifest, 'report'), capacities };
}

/** Every manifest of an inventory, and how it is rolled out. */
function manifestsMade(documents: readonly unknown[]): unknown {
  const of = <Document>(shape: { safeParse(value: unknown): { data?: Document } }): Recorded<Document>[] =>
    documents.flatMap((one) => {
      const { data } = shape.safeParse(one);
      return data === undefined ? [] : [{ document: data, generation: 1, by: 'ann' }];
    });
  const [order] = of(InventoryOrder);
  const parts = { layers: of(InventoryLayer), templates: of(InventoryTemplate), clusters: of(InventoryCluster) };
  const index = indexInventory({ ...parts, ...(order && { order }) });
  return {
    manifests: index.clusters.map((cluster) => {
      const { document, faults, warnings } = resolveCluster(cluster, index);
      return { document, faults, warnings };
    }),
    settings: order && settingsIn(order.document.spec),
  };
}
