/** Documents of inventories: stored, listed, deleted; an InventoryCluster becomes its manifest, and nothing else starts a run. */
import type { InventoryKey, InventoryRecord } from '#contracts/inventory.ts';
import { operations } from '#contracts/operations/operations.ts';
import { refuseFaults, storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import {
  type InventoryCluster,
  type InventoryDocument,
  inventoryName,
  type Recorded,
} from '#domain/inventory/inventory-documents.ts';
import { type Inventory, indexInventory } from '#domain/inventory/inventory-index.ts';
import { inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { isMap } from '#domain/json.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import type { AdmittedCaller } from '../caller.ts';
import { inventoryClusterState } from '../pipeline/inventory/inventory-cluster-state.ts';
import { manifestOwnerFault } from '../pipeline/inventory/manifest-owner.ts';
import {
  inventoryOf,
  judgeDocument,
  placedFaults,
  readInventoryDocument,
  storedInventory,
  withDocuments,
} from '../pipeline/inventory/stored-inventory.ts';
import { recordChange } from '../pipeline/records/audit-event.ts';
import { checksumOf } from '../pipeline/records/checksum.ts';
import { everyManifest, replaceableManifest } from '../pipeline/records/stored-manifest.ts';
import { inOneText } from '../pipeline/roll-outs/planned-change.ts';
import { type Submitted, submitDocument } from '../pipeline/submission/submit-document.ts';
import { placeFaultsOfPlane, submitPlane } from '../pipeline/submission/submit-plane.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { submittedResponse, wantedPlans } from './http/manifest-version.ts';
import { unlessSeen } from './http/not-modified.ts';
import { requestDocument } from './http/request-document.ts';
import { planeRows } from './views/plane-rows.ts';
import { proposedDocuments, proposedText, titleOfDocument } from './views/proposed-documents.ts';

export const putInventory = handle(operations.putInventory, async (request, deps) => {
  const { path, caller } = request;
  const raw = requestDocument(request, deps);
  const records = await deps.inventory.list(path.namespace);
  const before = inventoryOf(records.map(readInventoryDocument));
  const stored = records.find(({ kind, name }) => kind === path.kind && name === path.name);
  const verdict = judgeDocument(path.kind, raw, before);
  const { document } = verdict;
  const faults = [...storageFaults(raw), ...verdict.faults, ...(document ? placeFaults(document, path) : [])];
  const plane = document?.kind === 'ManagementPlane' && faults.length === 0 ? document : undefined;
  if (plane) faults.push(...(await placeFaultsOfPlane(deps, plane, caller)));
  const changed = document && stored && checksumOf(document) !== checksumOf(stored.document);
  if (changed && path.kind === 'InventoryTemplate') {
    const reason = `version ${path.name} is stored with another content, and a version is never changed`;
    faults.push(error(['spec', 'version'], reason, 'give it the next number'));
  }
  refuseFaults(path.kind, path, wireFaults(faults, raw));
  if (document === undefined) throw new PipelineError('InternalFault', 'a document without faults was not parsed');
  const unchanged = stored !== undefined && !changed;
  const generation = unchanged ? stored.generation : (stored?.generation ?? 0) + 1;
  const next = { document, generation, by: unchanged ? stored.by : caller.name };
  const after = withDocuments(before, [next]);
  const store = async (): Promise<void> => {
    if (unchanged) return;
    await deps.inventory.put({ ...path, generation, document, at: deps.clock.now().toISOString(), by: caller.name });
    await recordChange(deps, path.namespace, `${path.kind} ${path.name} stored as generation ${generation}`, caller);
  };
  const cluster = document.kind === 'InventoryCluster' ? { document, generation, by: next.by } : undefined;
  // First the manifest: what it refuses is not stored. An InventoryCluster that waits for an approval is not refused.
  const submitted = cluster
    ? submitCluster(deps, cluster, after, caller)
    : plane && submitPlane(deps, plane, { caller, terms: { wanted: wantedPlans(request.headers) } });
  const accepted = await submitted?.catch(async (refusal: unknown) => {
    // A plane is stored by the approval: until then it would come with any other change of the manifest.
    if (cluster && isPipelineError(refusal, 'ApprovalRequired')) await store();
    throw refusal;
  });
  await store();
  const { clusters } = inventoryImpact(before, after);
  const others = clusters.filter(({ cluster }) => document.kind !== 'InventoryCluster' || cluster !== path.name);
  const json = {
    ...path,
    generation,
    unchanged,
    ...(accepted && { accepted: submittedResponse(accepted).json }),
    behind: others.filter(({ impact }) => impact === 'changes').map(({ cluster }) => cluster),
    refused: others
      .filter(({ impact }) => impact === 'refused')
      .map((one) => ({ cluster: one.cluster, faults: placedFaults(one.faults) })),
    warnings: placedFaults(clusters.flatMap(({ warnings }) => warnings)),
  };
  return { json };
});

export const getInventory = handle(operations.getInventory, async ({ path }, deps) => {
  const record = await deps.inventory.get(path);
  if (record) return { json: record };
  const proposed = await proposedDocuments(deps, path.namespace, []);
  const plan = proposed?.[titleOfDocument(path)];
  if (plan === undefined) throw missing(path);
  const message = `${path.kind} "${path.namespace}/${path.name}" does not exist yet: ${proposedText(plan)}`;
  throw new PipelineError('NotFound', message, { details: { proposed: [plan] } });
});

export const deleteInventory = handle(operations.deleteInventory, async ({ path, caller }, deps) => {
  const record = await found(deps, path);
  const users = usersOf(path, await storedInventory(deps, path.namespace));
  if (users.length > 0) {
    throw new PipelineError(
      'InUse',
      `${path.kind} ${path.name} is used by ${users.join(', ')}; change or delete those first`,
    );
  }
  const { document } = readInventoryDocument(record);
  // First the manifest, as above: a refused or unapproved deletion would come with any other change of it.
  if (document.kind === 'ManagementPlane') await submitPlane(deps, document, { caller, deleted: true });
  await deps.inventory.remove(path);
  await recordChange(deps, path.namespace, `${path.kind} ${path.name} deleted`, caller);
  return {};
});

export const listInventory = handle(operations.listInventory, async ({ path: { namespace }, headers }, deps) => {
  const records = await deps.inventory.list(namespace);
  const index = indexInventory(inventoryOf(records.map(readInventoryDocument)));
  const stored = everyManifest(deps, undefined, namespace);
  const manifests = new Map(await Array.fromAsync(stored, (record) => [record.name, record] as const));
  const clusters = index.clusters.map((cluster) =>
    inventoryClusterState(cluster, index, manifests.get(cluster.document.metadata.name)),
  );
  const items = records.map(({ document, ...item }) => {
    const spec = isMap(document) && isMap(document.spec) ? document.spec : {};
    return { ...item, ...(typeof spec.level === 'string' && { level: spec.level }) };
  });
  const proposed = await proposedDocuments(deps, namespace, records);
  const planes = await planeRows(deps, namespace);
  return unlessSeen(headers, { items, ...(proposed && { proposed }), clusters, planes });
});

export const applyInventory = handle(operations.applyInventory, async ({ path, caller }, deps) => {
  const inventory = await storedInventory(deps, path.namespace);
  const cluster = inventory.clusters.find(({ document }) => document.metadata.name === path.name);
  if (cluster === undefined) throw missing({ ...path, kind: 'InventoryCluster' });
  return submittedResponse(await submitCluster(deps, cluster, inventory, caller));
});

/** Resolves it, and submits the manifest. Throws `InvalidManifest` with the faults of either. */
async function submitCluster(
  deps: ApiPorts,
  cluster: Recorded<InventoryCluster>,
  inventory: Inventory,
  caller: AdmittedCaller,
): Promise<Submitted> {
  const { namespace, name } = cluster.document.metadata;
  const key = { namespace, name };
  const { document, faults } = resolveCluster(cluster, indexInventory(inventory));
  refuseFaults('InventoryCluster', key, placedFaults(faults).map(inOneText));
  const stored = await replaceableManifest(deps, key);
  const foreign = stored && !stored.deleting ? manifestOwnerFault(key, stored.document) : undefined;
  if (foreign) throw new PipelineError('InUse', `${foreign.reason}; ${foreign.fix}`);
  return submitDocument(deps, key, {
    document,
    stored,
    caller,
    sameIsFine: true,
    reason: `made from InventoryCluster ${name}`,
  });
}

/** Where the document and the path of the request are about different things. */
function placeFaults(document: InventoryDocument, path: InventoryKey) {
  const named = { namespace: document.metadata.namespace, kind: document.kind, name: inventoryName(document) };
  return (['namespace', 'kind', 'name'] as const).flatMap((field) =>
    named[field] === path[field]
      ? []
      : [
          error(
            field === 'kind' ? ['kind'] : ['metadata', field],
            `the document says "${named[field]}", the path of the request "${path[field]}"`,
            'make them the same',
          ),
        ],
  );
}

function usersOf({ kind, name }: InventoryKey, { clusters, templates }: Inventory): readonly string[] {
  switch (kind) {
    case 'InventoryLayer':
      return clusters
        .filter(({ document }) => Object.values(document.spec.layers).flat().includes(name))
        .map(({ document }) => `InventoryCluster ${document.metadata.name}`);
    case 'InventoryTemplate':
      return [
        ...clusters
          .filter(({ document }) => document.spec.template === name)
          .map(({ document }) => `InventoryCluster ${document.metadata.name}`),
        ...templates
          .filter(
            ({ document }) => inventoryName(document) !== name && JSON.stringify(document.spec).includes(`"${name}/`),
          )
          .map(({ document }) => `InventoryTemplate ${inventoryName(document)}`),
      ];
    default:
      return [];
  }
}

async function found(deps: Pick<ApiPorts, 'inventory'>, key: InventoryKey): Promise<InventoryRecord> {
  const record = await deps.inventory.get(key);
  if (record === undefined) throw missing(key);
  return record;
}

const missing = ({ namespace, kind, name }: InventoryKey): PipelineError =>
  new PipelineError('NotFound', `there is no ${kind} "${namespace}/${name}"`);
