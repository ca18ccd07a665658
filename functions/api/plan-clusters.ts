/** The plans that a manifest would lead to: the pipeline's own, with paths that lead to places in the document. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
import type { ClusterPlan, Refusal } from '#domain/plan.ts';
import { clustersOf, type Planning, planCluster } from '../pipeline/clusters/cluster-plans.ts';
import { readableManifest } from '../pipeline/manifests/stored-document.ts';

/** One plan for each cluster that is wished for or stands; names of what is new are made up, the run makes its own. */
export function planClusters(
  planning: Planning,
  desired: ManifestRecord,
  clusters: readonly ClusterRecord[],
): readonly ClusterPlan[] {
  const manifest = readableManifest(desired);
  return clustersOf(planning.ids, desired, clusters).map((record) => {
    const plan = planCluster(planning, desired, record);
    return { ...plan, refusals: plan.refusals.map((refusal) => (manifest ? indexed(refusal, manifest) : refusal)) };
  });
}

/** The planner knows things by name, documents by place: `clusters[web]` becomes `clusters[0]`. */
function indexed(refusal: Refusal, { spec }: InputManifest): Refusal {
  const lists: Readonly<Record<string, readonly { readonly name: string }[]>> = {
    'spec.kubernetes.clusters': spec.kubernetes.clusters,
    'spec.nodePools.dynamic': spec.nodePools.dynamic,
    'spec.nodePools.static': spec.nodePools.static,
    'spec.loadBalancers.clusters': spec.loadBalancers.clusters,
  };
  const path = refusal.path.replace(/^([\w.]+)\[([^\]]+)\]/, (whole, list: string, name: string) => {
    const place = lists[list]?.findIndex((thing) => thing.name === name) ?? -1;
    return place < 0 ? whole : `${list}[${place}]`;
  });
  return { ...refusal, path };
}
