/** GET /v1/plans: what waits for an approval in the namespaces that the caller may see, of manifests that need not exist yet, too; and how a proposed document differs from the stored one. */
import { operations } from '#contracts/operations/operations.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { readObjects } from '#documents/read-objects.ts';
import { isPipelineError } from '#domain/errors.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { aheadOf } from '../ahead.ts';
import { inventoryVersion, storedInventory } from '../pipeline/inventory/stored-inventory.ts';
import { versionText } from '../pipeline/plans/plan-id.ts';
import { replaceableManifest } from '../pipeline/records/stored-manifest.ts';
import { proposalOf } from '../pipeline/submission/proposal-of.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { shownPlan } from './views/waiting-plans.ts';

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
  const { proposal } = await proposalOf(deps, path, path.plan);
  const stored = await replaceableManifest(deps, path);
  const { kind, document } = proposal;
  // Few requests need it, and what compares lines is large.
  const { documentPatch } = await import('#documents/document-patch.ts');
  const proposed = kind === 'delete' ? undefined : (validateAsManifest(document, { readObjects }).document ?? document);
  const name = `${path.namespace}/${path.name}`;
  const before = { title: stored ? `${name} (generation ${stored.generation})` : name, document: stored?.document };
  // A document that is created or deleted as a whole has no changes to list.
  const changes = stored && proposed !== undefined ? documentChanges(stored.document, proposed) : [];
  return {
    json: { changes: [...changes], diff: documentPatch(before, { title: `${name} (proposed)`, document: proposed }) },
  };
});
