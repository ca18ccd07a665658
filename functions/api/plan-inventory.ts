/** What a change of an inventory does to every cluster that depends on it, and why a manifest is as it is. */
import type { Explanation, InventoryPlan } from '#contracts/inventory.ts';
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { explainedAt, explainManifest as explainLeaves, explainResolution } from '#domain/inventory/explain-values.ts';
import { inventoryKinds, inventoryName } from '#domain/inventory/inventory-documents.ts';
import { indexInventory } from '#domain/inventory/inventory-index.ts';
import { type ClusterImpact, planInventory as planChange } from '#domain/inventory/plan-inventory.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { isMap } from '#domain/manifest/kubernetes-document.ts';
import { kindOf } from '#domain/manifest/validate-documents.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { withPlacesOf } from '#domain/manifest/yaml/text-places.ts';
import { noTotals, planTotals, sumOf } from '#domain/planning/text/plan-totals.ts';
import type { AdmittedCaller } from '../caller.ts';
import { replaceableManifest, storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './handle.ts';
import { assessManifest } from './judge-manifest.ts';
import { requestDocuments, wireFaults } from './request-document.ts';
import {
  judgeDocument,
  placedFaults,
  type RecordedDocument,
  storedInventory,
  withDocuments,
} from './stored-inventory.ts';

/** Plans of manifests that are made at the same time. */
const atOnce = 10;

export const planInventory = handle(operations.planInventory, async (request, deps) => {
  const { namespace } = request.path;
  const before = await storedInventory(deps, namespace);
  const documents = requestDocuments(request, deps);
  const accompanying = documents.filter(isAccompanying);
  const sent = readSent(
    documents.filter((one) => !isAccompanying(one)),
    namespace,
  );
  const parsed = sent.flatMap(({ kind, document }) => validateInventoryDocument(kind, document).document ?? []);
  // Each is judged among those that come with it.
  const drafts = withDocuments(
    before,
    parsed.map((document) => recordedAs(before, document, request.caller)),
  );
  const verdicts = sent.map((one) => ({ ...one, ...judgeDocument(one.kind, one.document, drafts) }));
  const faults = verdicts.flatMap((verdict) =>
    wireFaults(verdict.faults, verdict.document).map((fault) => ({
      ...fault,
      document: { kind: verdict.kind, name: verdict.name },
    })),
  );
  if (faults.length > 0) return { json: { namespace, ...nothing, faults } };
  const plan = planChange(before, drafts);
  const clusters = await inTurns(plan.clusters, atOnce, (impact) =>
    rowOf(deps, namespace, impact, { caller: request.caller, accompanying }),
  );
  const count = (wanted: ClusterImpact['impact']): number => clusters.filter(({ impact }) => impact === wanted).length;
  const json: InventoryPlan = {
    ...{ namespace, depend: plan.depend, faults: [], clusters: [...clusters] },
    ...{
      changes: count('changes'),
      overrides: count('overrides'),
      same: count('same'),
      refused: count('refused'),
      removed: count('removed'),
    },
    totals: sumOf(clusters.flatMap(({ totals }) => totals ?? [])),
  };
  return { json };
});

const nothing = {
  depend: 0,
  changes: 0,
  overrides: 0,
  same: 0,
  refused: 0,
  removed: 0,
  totals: noTotals,
  clusters: [],
};

/** Stored before the clusters, so that they may refer to it. */
function isAccompanying(document: unknown): boolean {
  const kind = kindOf(document);
  return kind === 'Secret' || kind === 'TemplateGitReference';
}

function readSent(documents: readonly unknown[], namespace: string) {
  return documents.map((raw) => {
    const kind = inventoryKinds.find((one) => isMap(raw) && raw.kind === one);
    if (kind === undefined || !isMap(raw)) {
      throw new PipelineError(
        'InvalidInput',
        `the plan of an inventory takes documents of the kinds ${inventoryKinds.join(', ')} only`,
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

function recordedAs(
  before: Awaited<ReturnType<typeof storedInventory>>,
  document: RecordedDocument['document'],
  caller: AdmittedCaller,
): RecordedDocument {
  const { layers, templates, clusters, order } = before;
  const all: readonly RecordedDocument[] = [...layers, ...templates, ...clusters, ...(order ? [order] : [])];
  const stored = all.find(
    (one) => one.document.kind === document.kind && inventoryName(one.document) === inventoryName(document),
  );
  return { document, generation: (stored?.generation ?? 0) + 1, by: caller.name };
}

async function rowOf(
  deps: ApiPorts,
  namespace: string,
  { cluster, impact, changes, faults, after }: ClusterImpact,
  question: { readonly caller: AdmittedCaller; readonly accompanying: readonly unknown[] },
): Promise<InventoryPlan['clusters'][number]> {
  const row = { cluster, impact, changes: [...changes], waypoints: 0, totals: null, faults: placedFaults(faults) };
  if (impact !== 'changes' || after?.document === undefined) return row;
  const key = { namespace, name: cluster };
  const stored = await replaceableManifest(deps, key);
  const {
    plans,
    refusals,
    faults: refused,
  } = await assessManifest(deps, key, { document: after.document, stored, ...question });
  const waypoints = plans.reduce((sum, one) => sum + one.waypoints.length, 0);
  const all = [...row.faults, ...refused, ...refusals];
  return {
    ...row,
    waypoints,
    totals: planTotals(plans),
    faults: all,
    ...(all.length > 0 && { impact: 'refused' as const }),
  };
}

async function inTurns<One, Result>(
  all: readonly One[],
  width: number,
  work: (one: One) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < all.length; start += width) {
    results.push(...(await Promise.all(all.slice(start, start + width).map(work))));
  }
  return results;
}

export const explainManifest = handle(operations.explainManifest, async ({ path, query }, deps) => {
  const inventory = await storedInventory(deps, path.namespace);
  const cluster = inventory.clusters.find(({ document }) => document.metadata.name === path.name);
  const stored = cluster ? await deps.manifests.get(path) : await storedManifest(deps, path);
  const base = {
    ...{ namespace: path.namespace, name: path.name, inventory: cluster !== undefined },
    ...{ generation: stored?.generation ?? null, by: stored?.origin?.by ?? null },
  };
  if (cluster === undefined) {
    const values = explainLeaves(stored?.document, InputManifest);
    return { json: { ...base, behind: false, values: [...explainedAt(values, query.path)] } satisfies Explanation };
  }
  const resolution = resolveCluster(cluster, indexInventory(inventory));
  const manifest = resolution.document && validateManifest(resolution.document).manifest;
  const values = explainResolution(resolution, manifest ?? resolution.document ?? {});
  const behind = stored === undefined || documentChanges(stored.document, manifest).length > 0;
  return { json: { ...base, behind, values: [...explainedAt(values, query.path)] } satisfies Explanation };
});
