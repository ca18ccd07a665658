/** The plans that a manifest would lead to: the pipeline's own, with refusals at their places in the document. */

import type { Fault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { placeOfSubject } from '#domain/manifest/place-of-subject.ts';
import type { ClusterPlan, Refusal } from '#domain/plan.ts';
import { clustersOf, type Planning, planCluster, reachedRecords } from '../pipeline/clusters/cluster-plans.ts';
import { readableManifest } from '../pipeline/manifests/stored-document.ts';
import { planningOf } from '../pipeline/manifests/template-versions.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

/** One plan for each cluster that is desired or exists; names of what is new are made up, the run makes its own. */
export function planClusters(
  planning: Planning,
  desired: ManifestRecord,
  clusters: readonly ClusterRecord[],
): readonly ClusterPlan[] {
  const manifest = readableManifest(desired);
  const placed = (refusal: Refusal): Refusal =>
    refusal.about && manifest ? { ...refusal, path: placeOfSubject(refusal.about, manifest) } : refusal;
  return clustersOf(planning.ids, desired, clusters).map((record) => {
    const plan = planCluster(planning, desired, record);
    return { ...plan, refusals: plan.refusals.map(placed) };
  });
}

/** The same plans, as if the run of the stored manifest had reached what it leads to: that counts as existing, too. */
export function plansOnceReached(
  deps: Pick<ApiPorts, 'ids'>,
  { stored, desired }: { readonly stored: ManifestRecord; readonly desired: ManifestRecord },
  clusters: readonly ClusterRecord[],
): readonly ClusterPlan[] {
  // One that can no longer be read leads nowhere.
  if (!readableManifest(stored)) return [];
  const reached = reachedRecords(planningOf(deps, stored), stored, clusters);
  return planClusters(planningOf(deps, desired), desired, reached);
}

/** What plans refuse, each reason once however many clusters give it, without what `others` refuse already. */
export function refusalsOf(plans: readonly ClusterPlan[], others: readonly ClusterPlan[] = []): readonly Fault[] {
  const said = new Set(others.flatMap(({ refusals }) => refusals.map(subjectOf)));
  const found = plans.flatMap(({ refusals }) => refusals).filter((refusal) => !said.has(subjectOf(refusal)));
  const firsts = new Map(found.map((refusal) => [`${subjectOf(refusal)} ${refusal.reason}`, refusal]));
  return [...firsts.values()].map(({ about: _, ...fault }) => fault);
}

function subjectOf({ about, path, reason }: Refusal): string {
  return about ? `${about.kind} ${about.name} ${about.field}` : `${path} ${reason}`;
}
