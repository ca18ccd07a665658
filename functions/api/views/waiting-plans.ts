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
import { versionText } from '../../pipeline/plans/plan-id.ts';
import { type ProposedPlan, versionIn } from '../../pipeline/proposals/kept-plans.ts';

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
