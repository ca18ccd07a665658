/** The plan of an inventory: every cluster that the documents change, or that is behind its inventory, validated as if it were submitted now. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { readObjects } from '#documents/read-objects.ts';
import { withPlacesOf } from '#documents/text-places.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import { kindOf } from '#domain/documents/validate-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InventoryBasis } from '#domain/inventory/inventory-basis.ts';
import { inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { type Inventory, indexInventory } from '#domain/inventory/inventory-index.ts';
import { type ClusterImpact, inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { isMap } from '#domain/json.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { claimedNames } from '#domain/manifest/values/claimed-names.ts';
import { aheadOf } from '../../ahead.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { type Assessment, assess } from '../assessment/assess.ts';
import { manifestOwnerFault } from '../inventory/manifest-owner.ts';
import {
  allDocuments,
  inventoryTitle,
  judgeDocument,
  placedFaults,
  type RecordedDocument,
  storedInventory,
  withDocuments,
} from '../inventory/stored-inventory.ts';
import { planIdOf } from '../plans/plan-id.ts';
import { checksumOf } from '../records/checksum.ts';
import { replaceableManifest } from '../records/stored-manifest.ts';
import { gather } from '../submission/gather.ts';
import type { PlanInBudget } from '../submission/plan-budgets.ts';

export interface ChangeRequest {
  /** Documents of an inventory, Secrets and TemplateGitReferences; an empty list plans the stored inventory for the clusters that are behind it. */
  readonly documents: readonly unknown[];
  readonly caller: AdmittedCaller;
  /** Names of the clusters to plan. @default all */
  readonly clusters?: readonly string[] | undefined;
}

type PlacedFault = ReturnType<typeof placedFaults>[number];

export interface PlannedCluster extends Pick<ClusterImpact, 'cluster' | 'impact' | 'changes'> {
  readonly faults: readonly (PlacedFault | WireFault)[];
  /** Present if the cluster changes. */
  readonly assessment?: Assessment;
  /** Its stored manifest; absent if none is stored, or if nothing changes. */
  readonly stored?: ManifestRecord;
}

/** What it adds to the cost of its namespace. */
export const planInBudget = ({ cluster, assessment }: PlannedCluster): PlanInBudget => ({
  name: cluster,
  cost: assessment?.costOfMonth,
});

export interface PlannedChange {
  /** Faults of the documents in the request. */
  readonly faults: readonly PlacedFault[];
  readonly clusters: readonly PlannedCluster[];
  /** Those that are not stored as they are, as they will be. */
  readonly documents: readonly RecordedDocument[];
  readonly before: Inventory;
  readonly basis: InventoryBasis;
  /** Null when something is refused. */
  readonly id: string | null;
}

export async function plannedChange(
  deps: ApiPorts,
  namespace: string,
  { documents: all, caller, clusters: wanted }: ChangeRequest,
): Promise<PlannedChange> {
  const before = await storedInventory(deps, namespace);
  const accompanying = all.filter(isAccompanying);
  const sent = readSent(
    all.filter((one) => !isAccompanying(one)),
    namespace,
  );
  const parsed = sent.flatMap(({ kind, document }) => validateInventoryDocument(kind, document).document ?? []);
  // Each is judged among those that come with it.
  const documents = parsed.flatMap((document) => recordedAs(before, document, caller));
  const after = withDocuments(before, documents);
  const faults = sent.flatMap((one) => {
    const verdict = judgeDocument(one.kind, one.document, after);
    return wireFaults(verdict.faults, verdict.document).map((fault) => ({
      ...fault,
      document: { kind: one.kind, name: one.name },
    }));
  });
  const impacts =
    faults.length > 0 ? [] : sent.length > 0 ? inventoryImpact(before, after).clusters : everyCluster(after);
  const chosen = impacts.filter(({ cluster }) => wanted === undefined || wanted.includes(cluster));
  const rows = aheadOf(chosen, (impact) => plannedCluster(deps, namespace, impact, { caller, accompanying }));
  const clusters = withDistinctNames((await Array.fromAsync(rows)).flat());
  const basis: InventoryBasis = {
    schema: 1,
    stored: Object.fromEntries(allDocuments(before).map((one) => [inventoryTitle(one), one.generation])),
    sent: Object.fromEntries(parsed.map((document) => [inventoryTitle({ document }), checksumOf(document)])),
    clusters: Object.fromEntries(
      clusters.flatMap(({ cluster, impact, assessment }) =>
        impact === 'changes' && assessment?.next ? [[cluster, assessment.next.basis]] : [],
      ),
    ),
  };
  const refused = faults.length > 0 || clusters.some(({ impact }) => impact === 'refused');
  return { faults, clusters, documents, before, basis, id: refused ? null : planIdOf(basis) };
}

/** Stored before the clusters, so that they may refer to it. */
function isAccompanying(document: unknown): boolean {
  const kind = kindOf(document);
  return kind === 'Secret' || kind === 'TemplateGitReference';
}

function readSent(documents: readonly unknown[], namespace: string) {
  return documents.map((raw) => {
    const kind = inventoryKinds.find((one) => one !== 'ManagementPlane' && isMap(raw) && raw.kind === one);
    if (kind === undefined || !isMap(raw)) {
      throw new PipelineError(
        'InvalidInput',
        `the plan of an inventory takes layers, orders, templates and clusters only; a ManagementPlane is planned with the manifest of its cluster`,
      );
    }
    const metadata = isMap(raw.metadata) ? raw.metadata : {};
    const own = metadata.namespace ?? namespace;
    if (own !== namespace) {
      const message = `${kind} "${String(metadata.name)}" is in namespace "${String(own)}", the request is about "${namespace}"`;
      throw new PipelineError('InvalidInput', `${message}; plan each namespace in a request of its own`);
    }
    const document = withPlacesOf(raw, { ...raw, metadata: { namespace, ...metadata } });
    return { kind, name: String(metadata.name), document };
  });
}

/** As it will be stored; nothing when it is. */
function recordedAs(
  before: Inventory,
  document: RecordedDocument['document'],
  { name: by }: AdmittedCaller,
): readonly RecordedDocument[] {
  const stored = allDocuments(before).find((one) => inventoryTitle(one) === inventoryTitle({ document }));
  if (stored && checksumOf(stored.document) === checksumOf(document)) return [];
  return [{ document, generation: (stored?.generation ?? 0) + 1, by }];
}

/** For a plan without documents; those whose manifests are up to date are found later. */
function everyCluster(inventory: Inventory): readonly ClusterImpact[] {
  const index = indexInventory(inventory);
  return index.clusters.map((cluster) => {
    const after = resolveCluster(cluster, index);
    const { faults, warnings } = after;
    const impact = after.document === undefined ? 'refused' : 'changes';
    return { cluster: after.name, impact, changes: [], faults, warnings, after };
  });
}

async function plannedCluster(
  deps: ApiPorts,
  namespace: string,
  { cluster, impact, changes, faults, after }: ClusterImpact,
  question: { readonly caller: AdmittedCaller; readonly accompanying: readonly unknown[] },
): Promise<readonly PlannedCluster[]> {
  const row = { cluster, impact, changes, faults: placedFaults(faults) };
  if (impact !== 'changes' || after?.document === undefined) return [row];
  const key = { namespace, name: cluster };
  const stored = await replaceableManifest(deps, key);
  const exists = stored !== undefined && !stored.deleting;
  const fromStored = exists
    ? documentChanges(stored.document, validateAsManifest(after.document, { readObjects }).document)
    : ['created'];
  // A plan without documents is about the clusters that are behind their inventory.
  if (changes.length === 0 && fromStored.length === 0) return [];
  const assessment = assess(await gather(deps, key, { document: after.document, stored, ...question }));
  const foreign = exists ? manifestOwnerFault(key, stored.document) : undefined;
  const all = [...row.faults, ...(foreign ? [foreign] : []), ...assessment.faults, ...assessment.refusals];
  const planned = { ...row, changes: changes.length > 0 ? changes : [...fromStored], faults: all };
  return [{ ...planned, ...(all.length > 0 && { impact: 'refused' as const }), assessment, ...(stored && { stored }) }];
}

/** The first of those that claim one DNS name in the same plan has it. */
function withDistinctNames(clusters: readonly PlannedCluster[]): readonly PlannedCluster[] {
  const owners = new Map<string, string>();
  return clusters.map((row) => {
    const names = row.impact === 'changes' ? claimedNames(row.assessment?.next?.record.document) : [];
    const faults = names.flatMap((name) => {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, row.cluster);
      const reason = `"${name}" is a name of the cluster "${owner}" in the same plan`;
      const fix = 'use a host name of its own, such as "${cluster.name}"';
      return owner === undefined ? [] : [{ path: 'spec.loadBalancers.clusters', reason, fix }];
    });
    return faults.length === 0 ? row : { ...row, impact: 'refused' as const, faults: [...row.faults, ...faults] };
  });
}

/** The document that a problem carries has no place for the name of another. */
export function inOneText(fault: PlannedCluster['faults'][number]): WireFault {
  const { document, ...rest } = 'document' in fault ? fault : { ...fault, document: undefined };
  return document ? { ...rest, reason: `${document.kind} ${document.name}: ${fault.reason}` } : rest;
}
