/** The clusters of a manifest: the kubeconfig of one, and which one a path means. */
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { recordManifestChange } from '../pipeline/records/audit-event.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { handle } from './http/handle.ts';

export const getKubeconfig = handle(operations.getKubeconfig, async ({ path, caller }, deps) => {
  const wanted = namedCluster(await deps.clusters.list(path), path);
  const key = wanted.facts.kubeconfigKey;
  const text = key === undefined ? undefined : await deps.artifacts.getText(key);
  if (text === undefined) {
    throw new PipelineError(
      'NotFound',
      `cluster "${clusterName(wanted)}" has no kubeconfig yet; wait until Kubernetes runs`,
    );
  }
  const { namespace, name } = path;
  await recordManifestChange(deps, { namespace, name, runId: '' }, `kubeconfig of ${clusterName(wanted)} read`, caller);
  return { text, contentType: 'application/yaml', headers: { 'cache-control': 'no-store' } };
});

/** The cluster that the path means. Throws `NotFound` with those that there are. */
export function namedCluster(
  clusters: readonly ClusterRecord[],
  { name, cluster }: { readonly name: string; readonly cluster: string },
): ClusterRecord {
  const wanted = findClusterRecord(clusters, cluster);
  if (wanted) return wanted;
  const names = clusters.map(clusterName).join(', ') || 'none';
  throw new PipelineError('NotFound', `manifest "${name}" has no cluster "${cluster}"; it has: ${names}`);
}

/** By its name in the manifest, or by its id. */
export function findClusterRecord(clusters: readonly ClusterRecord[], wanted: string): ClusterRecord | undefined {
  return (
    clusters.find((record) => clusterName(record) === wanted) ?? clusters.find(({ cluster }) => cluster === wanted)
  );
}
