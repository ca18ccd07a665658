/** Plans that wait for an approval, of a manifest as it is stored: those that were made for another version of it do not fit any more. */
import type { ManifestHead, ManifestKey } from '#contracts/records.ts';
import type { WaitingPlan, WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { versionText } from '../../pipeline/plans/plan-id.ts';

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
