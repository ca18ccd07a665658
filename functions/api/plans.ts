/** Proposed plans: those of a manifest, and all that wait for an approval; shown as they would be carried out now, and compared with what is stored. */
import { operations } from '#contracts/operations/operations.ts';
import { type ProposalOf, storedPlanKeys } from '#contracts/stored-plans.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { readObjects } from '#documents/read-objects.ts';
import { isPipelineError } from '#domain/errors.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { aheadOf } from '../ahead.ts';
import { inventoryVersion, storedInventory } from '../pipeline/inventory/stored-inventory.ts';
import { versionText } from '../pipeline/plans/plan-id.ts';
import { isProposed, ofManifests, type ProposedPlan, proposalOf, readPlan } from '../pipeline/proposals/kept-plans.ts';
import { versionIn } from '../pipeline/proposals/propose.ts';
import { replaceableManifest } from '../pipeline/records/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { type Goal, planReport } from './plan-manifest.ts';
import { shownPlan } from './views/waiting-plans.ts';

/** Those of the last weeks; objects below `plans/` expire. */
export const listPlans = handle(operations.listPlans, async ({ path, headers }, deps) => {
  const stored = await deps.manifests.get(path).catch(unlessUnreadable);
  const version = stored === undefined ? null : versionText(stored);
  const found = await deps.artifacts.list(storedPlanKeys.of(path));
  const plans = await Promise.all(
    found.map(({ key }) => readPlan(deps, path, key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, ''))),
  );
  const items = plans.flatMap((plan) => (isProposed(plan, ofManifests) ? [rowOf(plan, version)] : []));
  return unlessSeen(headers, { items: items.sort((one, other) => (one.at < other.at ? 1 : -1)) });
});

/** The proposal is planned again; if anything that it is based on changed, its id changes. */
export const getPlan = handle(operations.getPlan, async ({ path, caller }, deps) => {
  const { proposal } = await proposalOf(deps, path, path.plan, ofManifests);
  const stored = await replaceableManifest(deps, path);
  return { json: await planReport(deps, path, { stored, goal: goalOf(proposal), caller }) };
});

function goalOf(proposal: ProposalOf<'apply' | 'delete'>): Goal {
  if (proposal.kind === 'delete') return { deleting: true, orphans: proposal.orphans };
  const { document, planes: accompanying = [], withoutPlanes = [] } = proposal;
  return { document, accompanying, withoutPlanes };
}

function rowOf({ id, at, by, basis, proposal, approved }: ProposedPlan, version: string | null) {
  const { reason, summary } = proposal;
  const waits = versionIn(basis) === version ? ('Proposed' as const) : ('Outdated' as const);
  const state = approved ? ('Approved' as const) : waits;
  return { id, at, by, reason, summary, state, ...(approved && { approved }) };
}

function unlessUnreadable(error: unknown): undefined {
  if (!isPipelineError(error, 'Unreadable')) throw error;
}

/** What waits in the namespaces that the caller may see, of manifests that need not exist yet, too. */
export const listWaitingPlans = handle(operations.listWaitingPlans, async ({ query, caller, headers }, deps) => {
  const { namespace } = query;
  const all = await deps.waitingPlans.list(namespace === undefined ? undefined : { namespace });
  const visible = all.filter((plan) => caller.may('viewer', plan.namespace));
  const versions = new Map<string, Promise<string | null>>();
  const versionOf = (plan: WaitingPlanRecord): Promise<string | null> => {
    const of = `${plan.namespace}/${plan.name}`;
    const known = versions.get(of) ?? currentVersion(deps, plan);
    versions.set(of, known);
    return known;
  };
  const fitting = aheadOf(visible, async (plan) => ((await versionOf(plan)) === plan.version ? [plan] : []));
  const items = (await Array.fromAsync(fitting)).flat().map((plan) => ({
    namespace: plan.namespace,
    name: plan.name === inventoryPlanName ? null : plan.name,
    ...shownPlan(plan),
  }));
  return unlessSeen(headers, { items });
});

/** Version of what the plan is about; null if nothing is stored, and for what cannot be read. */
async function currentVersion(
  deps: Pick<ApiPorts, 'manifests' | 'inventory'>,
  { namespace, name }: WaitingPlanRecord,
): Promise<string | null> {
  try {
    if (name === inventoryPlanName) return inventoryVersion(await storedInventory(deps, namespace));
    const head = await deps.manifests.head({ namespace, name });
    return head ? versionText(head) : null;
  } catch (error) {
    if (isPipelineError(error, 'Unreadable')) return null;
    throw error;
  }
}

/** Against what is stored now; of a deletion, all of it is removed. */
export const diffPlan = handle(operations.diffPlan, async ({ path }, deps) => {
  const { proposal } = await proposalOf(deps, path, path.plan, ofManifests);
  const stored = await replaceableManifest(deps, path);
  // Few requests need it, and what compares lines is large.
  const { documentPatch } = await import('#documents/document-patch.ts');
  const proposed = proposal.kind === 'delete' ? undefined : acceptedOf(proposal.document);
  const name = `${path.namespace}/${path.name}`;
  const before = { title: stored ? `${name} (generation ${stored.generation})` : name, document: stored?.document };
  // A document that is created or deleted as a whole has no changes to list.
  const changes = stored && proposed !== undefined ? documentChanges(stored.document, proposed) : [];
  return {
    json: { changes: [...changes], diff: documentPatch(before, { title: `${name} (proposed)`, document: proposed }) },
  };
});

const acceptedOf = (document: unknown): unknown => validateAsManifest(document, { readObjects }).document ?? document;
