/** Plans of all clusters of a manifest, and what they refuse, each thing at its place in the document. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import { placeInDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { withoutHostnames } from '#domain/naming.ts';
import type { ClusterPlan, Refusal } from '#domain/plan.ts';
import { placeOfSubject } from '#domain/planning/states/place-of-subject.ts';
import { clustersOf, planCluster, reachedRecords } from '../plans/cluster-plans.ts';
import { type PlanSettings, planningOf } from '../plans/planning.ts';
import { readableManifest } from '../records/stored-document.ts';

/** What there is of a manifest. */
interface ExistingClusters {
  readonly clusters: readonly ClusterRecord[];
  /** @default none */
  readonly demands?: readonly DemandRecord[];
}

/** One plan for each cluster that is desired or exists. Ids of what is new are made up, the run makes its own; host names are left open. */
export function planClusters(
  settings: PlanSettings,
  desired: ManifestRecord,
  { clusters, demands }: ExistingClusters,
): readonly ClusterPlan[] {
  const planning = { ...planningOf(settings, desired, demands), ids: withoutHostnames(settings.ids) };
  const manifest = readableManifest(desired);
  const placed = (refusal: Refusal): Refusal =>
    refusal.about && manifest
      ? { ...refusal, path: placeInDocument(placeOfSubject(refusal.about, manifest), desired.document) }
      : refusal;
  return clustersOf(planning.ids, desired, clusters).map((record) => {
    const plan = planCluster(planning, desired, record);
    return { ...plan, refusals: plan.refusals.map(placed) };
  });
}

/** The same plans, as if the run of the stored manifest had reached what it leads to: that counts as existing, too. */
export function plansOnceReached(
  settings: PlanSettings,
  { stored, desired }: { readonly stored: ManifestRecord; readonly desired: ManifestRecord },
  { clusters, demands = [] }: ExistingClusters,
): readonly ClusterPlan[] {
  // One that can no longer be read leads nowhere.
  if (!readableManifest(stored)) return [];
  const reached = reachedRecords(planningOf(settings, stored, demands), stored, clusters);
  return planClusters(settings, desired, { clusters: reached, demands });
}

/** What plans refuse, each reason once however many clusters give it, without what `others` refuse already. */
export function refusalsOf(plans: readonly ClusterPlan[], others: readonly ClusterPlan[] = []): readonly WireFault[] {
  const reported = new Set(others.flatMap(({ refusals }) => refusals.map(subjectOf)));
  const found = plans.flatMap(({ refusals }) => refusals).filter((refusal) => !reported.has(subjectOf(refusal)));
  const firsts = new Map(found.map((refusal) => [`${subjectOf(refusal)} ${refusal.reason}`, refusal]));
  return [...firsts.values()].map(({ about: _, ...fault }) => fault);
}

function subjectOf({ about, path, reason }: Refusal): string {
  return about ? `${about.kind} ${about.name} ${about.field}` : `${path} ${reason}`;
}
