/** Plans that wait for an approval, of a manifest as it is stored: those that were made for another version of it do not fit any more. */

import type { ProposedPlanRow } from '#contracts/proposed-plans.ts';
import type { ManifestHead, ManifestKey } from '#contracts/records.ts';
import type { ClosedProposal } from '#contracts/stored-plans.ts';
import {
  inventoryPlanName,
  type PlacedPlan,
  type WaitingPlan,
  type WaitingPlanRecord,
} from '#contracts/waiting-plans.ts';
import { isPipelineError } from '#domain/errors.ts';
import { aheadOf } from '../../ahead.ts';
import { inventoryVersion, storedInventory } from '../../pipeline/inventory/stored-inventory.ts';
import { versionText } from '../../pipeline/plans/plan-id.ts';
import { type ProposedPlan, versionIn } from '../../pipeline/proposals/kept-plans.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';

/** By manifest, whatever its version is. */
export type PlansByManifest = ReadonlyMap<string, readonly WaitingPlanRecord[]>;

const nameOf = ({ namespace, name }: ManifestKey): string => `${namespace}/${name}`;

export const plansByManifest = (plans: readonly WaitingPlanRecord[]): PlansByManifest => Map.groupBy(plans, nameOf);

/** Newest first; absent if no plan waits. */
export function proposedFor(record: ManifestHead, plans: PlansByManifest): { readonly proposed?: WaitingPlan[] } {
  const version = versionText(record);
  const fitting = (plans.get(nameOf(record)) ?? []).filter((plan) => plan.version === version);
  return fitting.length === 0 ? {} : { proposed: fitting.map(shownPlan) };
}

/** Those that were made for what is stored now. */
export async function fittingPlans(
  deps: Pick<ApiPorts, 'manifests' | 'inventory'>,
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
  deps: Pick<ApiPorts, 'manifests' | 'inventory'>,
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

export function shownPlan({ id, at, by, reason, summary, difference }: WaitingPlanRecord): WaitingPlan {
  return { id, at, by, reason, summary, ...(difference && { difference }) };
}

export const placedPlan = ({ namespace, name, ...plan }: WaitingPlanRecord): PlacedPlan => ({
  namespace,
  name: name === inventoryPlanName ? null : name,
  ...shownPlan({ namespace, name, ...plan }),
});

/** As lists of proposed plans have it. `version`: of what is stored. @default that which it was made for */
export function proposedRow(
  { id, at, by, basis, proposal: { reason, summary }, approved, closed }: ProposedPlan,
  version = versionIn(basis),
): ProposedPlanRow {
  const waits = versionIn(basis) === version ? ('Proposed' as const) : ('Outdated' as const);
  const state = approved ? ('Approved' as const) : (closed?.state ?? waits);
  return {
    id,
    at,
    by,
    reason,
    summary,
    state,
    ...(approved && { approved }),
    ...(closed && { closed: howOf(closed) }),
  };
}

const howOf = ({ state: _, ...how }: ClosedProposal): NonNullable<ProposedPlanRow['closed']> => how;
