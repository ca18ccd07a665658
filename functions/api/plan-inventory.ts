/** What a change of an inventory does to every cluster that depends on it, and why a manifest is as it is. */
import type { Explanation, InventoryPlan } from '#contracts/inventory.ts';
import { operations } from '#contracts/operations/operations.ts';
import { readObjects } from '#documents/read-objects.ts';
import { explainedAt, explainLeaves, explainResolution } from '#domain/inventory/explain-values.ts';
import { indexInventory } from '#domain/inventory/inventory-index.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { defaultsOf } from '#domain/manifest/groups/document-defaults.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { planTotals, sumOf } from '#domain/planning/text/plan-totals.ts';
import { sumOfCosts } from '#domain/prices/sum-costs.ts';
import { allDocuments, inventoryTitle, storedInventory } from '../pipeline/inventory/stored-inventory.ts';
import { inventoryPlanKey, keepPlan, proposalOf, versionIn } from '../pipeline/proposals/kept-plans.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import {
  type PlannedChange,
  type PlannedCluster,
  planInBudget,
  plannedChange,
} from '../pipeline/roll-outs/planned-change.ts';
import { approvalOfChange } from '../pipeline/roll-outs/roll-out-proposals.ts';
import { budgetsOfPlans } from '../pipeline/submission/plan-budgets.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { requestDocuments } from './http/request-document.ts';
import { proposedRow } from './views/waiting-plans.ts';

export const planInventory = handle(operations.planInventory, async (request, deps) => {
  const { namespace } = request.path;
  const documents = request.body.length > 0 ? requestDocuments(request, deps) : [];
  const plan = await plannedChange(deps, namespace, { documents, caller: request.caller });
  if (plan.id !== null) await keepPlan(deps, inventoryPlanKey(namespace), plan.basis, request.caller.name);
  return { json: await inventoryReport(deps, namespace, plan) };
});

/** A proposal as it would be carried out now: its id changes when anything it is based on has changed. */
export const getInventoryPlan = handle(operations.getInventoryPlan, async ({ path, caller }, deps) => {
  const { namespace, plan: id } = path;
  const kept = await proposalOf(deps, inventoryPlanKey(namespace), id, ['rollOut']);
  const { documents, clusters, settings } = kept.proposal;
  const plan = await plannedChange(deps, namespace, { documents, caller, clusters });
  // Few requests need it, and what compares lines is large.
  const { documentPatch } = await import('#documents/document-patch.ts');
  const diff = plan.documents.map((after) => {
    const before = allDocuments(plan.before).find((one) => inventoryTitle(one) === inventoryTitle(after));
    const title = inventoryTitle(after);
    const from = { title: before ? `${title} (generation ${before.generation})` : title, document: before?.document };
    return documentPatch(from, { title: `${title} (proposed)`, document: after.document });
  });
  const { id: _, reason: _reason, ...row } = proposedRow(kept, versionIn(plan.basis));
  const proposed = { ...row, settings, clusters, diff: diff.join('') };
  return { json: { ...(await inventoryReport(deps, namespace, plan)), proposed } };
});

async function inventoryReport(deps: ApiPorts, namespace: string, plan: PlannedChange): Promise<InventoryPlan> {
  const clusters = plan.clusters.map(rowOf);
  const changing = plan.clusters.filter(({ impact }) => impact === 'changes');
  const costs = changing.flatMap(({ assessment }) => assessment?.costOfMonth ?? []);
  const count = (wanted: PlannedCluster['impact']): number => clusters.filter(({ impact }) => impact === wanted).length;
  const budgets = await budgetsOfPlans(deps, namespace, changing.map(planInBudget));
  return {
    namespace,
    id: plan.id,
    depend: clusters.length,
    faults: [...plan.faults],
    clusters,
    changes: count('changes'),
    overrides: count('overrides'),
    same: count('same'),
    refused: count('refused'),
    removed: count('removed'),
    totals: sumOf(clusters.flatMap(({ totals }) => totals ?? [])),
    ...(costs.length > 0 && { costOfMonth: sumOfCosts(costs) }),
    budgets,
    needsApproval: approvalOfChange(deps, namespace, changing, budgets) !== undefined,
  };
}

function rowOf({ cluster, impact, changes, faults, assessment }: PlannedCluster): InventoryPlan['clusters'][number] {
  const plans = assessment?.plans ?? [];
  return {
    cluster,
    impact,
    changes: [...changes],
    faults: [...faults],
    waypoints: plans.reduce((sum, one) => sum + one.waypoints.length, 0),
    totals: assessment ? planTotals(plans) : null,
  };
}

export const explainManifest = handle(operations.explainManifest, async ({ path, query }, deps) => {
  const inventory = await storedInventory(deps, path.namespace);
  const cluster = inventory.clusters.find(({ document }) => document.metadata.name === path.name);
  const stored = cluster ? await deps.manifests.get(path) : await storedManifest(deps, path);
  const base = {
    namespace: path.namespace,
    name: path.name,
    inventory: cluster !== undefined,
    generation: stored?.generation ?? null,
    by: stored?.origin?.by ?? null,
  };
  if (cluster === undefined) {
    const values = explainLeaves(stored?.document, defaultsOf(stored?.document));
    return { json: { ...base, behind: false, values: [...explainedAt(values, query.path)] } satisfies Explanation };
  }
  const resolution = resolveCluster(cluster, indexInventory(inventory));
  const manifest = resolution.document && validateAsManifest(resolution.document, { readObjects }).document;
  const values = explainResolution(resolution, manifest ?? resolution.document ?? {});
  const behind = stored === undefined || documentChanges(stored.document, manifest).length > 0;
  return { json: { ...base, behind, values: [...explainedAt(values, query.path)] } satisfies Explanation };
});
