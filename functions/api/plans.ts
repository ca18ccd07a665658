/** Proposed plans: those of a manifest, and all that wait for an approval; shown as they would be carried out now, and compared with what is stored. */

import { operations } from '#contracts/operations/operations.ts';
import type { ProposedPlanRow } from '#contracts/proposed-plans.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { type ProposalOf, storedPlanKeys } from '#contracts/stored-plans.ts';
import { readObjects } from '#documents/read-objects.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { currentVersion, fittingPlans } from '../pipeline/proposals/fitting-plans.ts';
import {
  inventoryPlanKey,
  isProposed,
  ofAnyKind,
  ofManifests,
  proposalOf,
  readPlan,
} from '../pipeline/proposals/kept-plans.ts';
import { replaceableManifest } from '../pipeline/records/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import type { Goal } from './plan-manifest.ts';
import { placedPlan, proposedRow } from './views/waiting-plans.ts';

/** Those of the last weeks; objects below `plans/` expire. */
export const listPlans = handle(operations.listPlans, async ({ path, headers }, deps) => {
  return unlessSeen(headers, { items: await proposedRows(deps, path) });
});

export const listInventoryPlans = handle(operations.listInventoryPlans, async ({ path, headers }, deps) => {
  return unlessSeen(headers, { items: await proposedRows(deps, inventoryPlanKey(path.namespace)) });
});

/** Newest first. */
async function proposedRows(deps: ApiPorts, key: ManifestKey): Promise<ProposedPlanRow[]> {
  const version = await currentVersion(deps, key);
  const found = await deps.artifacts.list(storedPlanKeys.of(key));
  const plans = await Promise.all(
    found.map((one) => readPlan(deps, key, one.key.slice(one.key.lastIndexOf('/') + 1).replace(/\.json$/, ''))),
  );
  const items = plans.flatMap((plan) => (isProposed(plan, ofAnyKind) ? [proposedRow(plan, version)] : []));
  return items.sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** The proposal is planned again; if anything that it is based on changed, its id changes. */
export const getPlan = handle(operations.getPlan, async ({ path, caller }, deps) => {
  const plan = await proposalOf(deps, path, path.plan, ofManifests);
  const { proposal } = plan;
  // Few proposals are edits of Terraform states.
  if (proposal.kind === 'edit') {
    const { editReport } = await import('./state-edit-report.ts');
    return { json: await editReport(deps, path, { ...plan, proposal }) };
  }
  const stored = await replaceableManifest(deps, path);
  // Lists need no planner.
  const { planReport } = await import('./plan-manifest.ts');
  return { json: await planReport(deps, path, { stored, goal: goalOf(proposal), caller }) };
});

function goalOf(proposal: ProposalOf<'apply' | 'delete'>): Goal {
  if (proposal.kind === 'delete') return { deleting: true, orphans: proposal.orphans };
  const { document, planes: accompanying = [], withoutPlanes = [] } = proposal;
  return { document, accompanying, withoutPlanes };
}

/** What waits in the namespaces that the caller may see, of manifests that need not exist yet, too. */
export const listWaitingPlans = handle(operations.listWaitingPlans, async ({ query, caller, headers }, deps) => {
  const { namespace } = query;
  const all = await deps.waitingPlans.list(namespace === undefined ? undefined : { namespace });
  const visible = all.filter((plan) => caller.may('viewer', plan.namespace));
  const items = (await fittingPlans(deps, visible)).map(placedPlan);
  return unlessSeen(headers, { items });
});

/** Against what is stored now; of a deletion, all of it is removed. */
export const diffPlan = handle(operations.diffPlan, async ({ path }, deps) => {
  const { proposal } = await proposalOf(deps, path, path.plan, ofManifests);
  const stored = await replaceableManifest(deps, path);
  // Few requests need it, and what compares lines is large.
  const { documentPatch } = await import('#documents/document-patch.ts');
  const proposed = proposedDocument(proposal, stored?.document);
  const name = `${path.namespace}/${path.name}`;
  const before = { title: stored ? `${name} (generation ${stored.generation})` : name, document: stored?.document };
  // A document that is created or deleted as a whole has no changes to list.
  const changes = stored && proposed !== undefined ? documentChanges(stored.document, proposed) : [];
  return {
    json: { changes: [...changes], diff: documentPatch(before, { title: `${name} (proposed)`, document: proposed }) },
  };
});

const acceptedOf = (document: unknown): unknown => validateAsManifest(document, { readObjects }).document ?? document;

/** An edit of a Terraform state leaves the document as it is. */
function proposedDocument(proposal: ProposalOf<(typeof ofManifests)[number]>, stored: unknown): unknown {
  if (proposal.kind === 'delete') return undefined;
  return proposal.kind === 'edit' ? stored : acceptedOf(proposal.document);
}
