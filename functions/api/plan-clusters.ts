/** The path of every cluster of a manifest, from what stands to what is wished for; with names that are made up anew. */
import type { ClusterRecord, ManifestKey } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { buildDesiredState } from '#domain/planning/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import type { Deps } from '../ports.ts';

export interface PlanQuestion {
  readonly key: ManifestKey;
  readonly manifest: InputManifest;
  readonly clusters: readonly ClusterRecord[];
  readonly deleting: boolean;
}

/** One plan for each cluster that is wished for or stands. */
export async function planClusters(deps: Pick<Deps, 'ids'>, question: PlanQuestion): Promise<readonly ClusterPlan[]> {
  const { manifest, clusters, deleting } = question;
  const wished = deleting ? [] : manifest.spec.kubernetes.clusters.map(({ name }) => name);
  const standing = clusters.map(nameOfRecord);
  return [...new Set([...wished, ...standing])].map((name) => {
    const record = clusters.find((candidate) => nameOfRecord(candidate) === name);
    const { current = null, attempted = null } = record ?? {};
    try {
      const desired = deleting
        ? null
        : buildDesiredState({ manifest, cluster: name, current, attempted, templates: {}, ids: deps.ids });
      return planClusterPath({ cluster: record?.cluster ?? desired?.id ?? name, current, attempted, desired });
    } catch (error) {
      if (!isPipelineError(error, 'PlanRefused')) throw error;
      const place = manifest.spec.kubernetes.clusters.findIndex((cluster) => cluster.name === name);
      const refusal = { path: `spec.kubernetes.clusters[${place}]`, reason: error.message, fix: 'change the manifest' };
      return { cluster: record?.cluster ?? name, waypoints: [], refusals: [refusal] };
    }
  });
}

/** A cluster id is its name and a hash. */
function nameOfRecord(record: ClusterRecord): string {
  return record.current?.name ?? record.attempted?.name ?? record.cluster.replace(/-[^-]*$/, '');
}
