/** Which of the plans that wait were made for what is stored now. */
import type { ManifestKey } from '#contracts/records.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { isPipelineError } from '#domain/errors.ts';
import { aheadOf } from '../../ahead.ts';
import type { Using } from '../../ports.ts';
import { inventoryVersion, storedInventory } from '../inventory/stored-inventory.ts';
import { versionText } from '../plans/plan-id.ts';

const nameOf = ({ namespace, name }: ManifestKey): string => `${namespace}/${name}`;

/** Those that were made for what is stored now. */
export async function fittingPlans(
  deps: Using<'manifests.head' | 'inventory.list'>,
  plans: readonly WaitingPlanRecord[],
): Promise<readonly WaitingPlanRecord[]> {
  const versions = new Map<string, Promise<string | null>>();
  const versionNow = (plan: WaitingPlanRecord): Promise<string | null> => {
    const known = versions.get(nameOf(plan)) ?? currentVersion(deps, plan);
    versions.set(nameOf(plan), known);
    return known;
  };
  const fitting = aheadOf(plans, async (plan) => ((await versionNow(plan)) === plan.version ? [plan] : []));
  return (await Array.fromAsync(fitting)).flat();
}

/** Version of what a plan is about; null if nothing is stored, and for what cannot be read. */
export async function currentVersion(
  deps: Using<'manifests.head' | 'inventory.list'>,
  { namespace, name }: ManifestKey,
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
