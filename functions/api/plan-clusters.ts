/** The path of every cluster of a manifest, from what stands to what is wished for; with names that are made up anew. */
import type { ClusterRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
import type { ClusterPlan, Refusal } from '#domain/plan.ts';
import { buildDesiredState } from '#domain/planning/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import type { Deps } from '../ports.ts';

export interface PlanQuestion {
  readonly manifest: InputManifest;
  readonly clusters: readonly ClusterRecord[];
  readonly deleting: boolean;
}

/** One plan for each cluster that is wished for or stands. */
export function planClusters(deps: Pick<Deps, 'ids'>, question: PlanQuestion): ClusterPlan[] {
  const { manifest, clusters, deleting } = question;
  const wished = deleting ? [] : manifest.spec.kubernetes.clusters.map(({ name }) => name);
  const standing = clusters.map(nameOfRecord);
  const names = [...new Set([...wished, ...standing])];
  const plans = names.map((name): ClusterPlan => {
    const record = clusters.find((candidate) => nameOfRecord(candidate) === name);
    const { current = null, attempted = null } = record ?? {};
    try {
      const desired = deleting
        ? null
        : buildDesiredState({ manifest, cluster: name, current, attempted, templates: {}, ids: deps.ids });
      return planClusterPath({ cluster: name, current, attempted, desired });
    } catch (error) {
      if (!isPipelineError(error, 'PlanRefused')) throw error;
      const path = `spec.kubernetes.clusters[${name}]`;
      return { cluster: name, waypoints: [], refusals: [{ path, reason: error.message, fix: 'change the manifest' }] };
    }
  });
  return plans.map((plan) => ({ ...plan, refusals: plan.refusals.map((refusal) => indexed(refusal, manifest)) }));
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

/** A cluster id is its name and a hash. */
function nameOfRecord(record: ClusterRecord): string {
  return record.current?.name ?? record.attempted?.name ?? record.cluster.replace(/-[^-]*$/, '');
}
