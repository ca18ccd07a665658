/** GET …/clusters/{cluster}/kubeconfig: the key to a cluster, by its id or its name in the manifest. */
import { ClusterPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { clusterName } from '../pipeline/clusters/cluster-records.ts';
import { recordManifestChange } from './audit-event.ts';
import { findCluster } from './find-cluster.ts';

export const handler = httpHandler({ access: operator, path: ClusterPath }, async ({ path, caller }, deps) => {
  const clusters = await deps.clusters.list(path);
  const wanted = findCluster(clusters, path.cluster);
  if (!wanted) {
    const names = clusters.map(clusterName).join(', ') || 'none';
    throw new PipelineError('NotFound', `manifest "${path.name}" has no cluster "${path.cluster}"; it has: ${names}`);
  }
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
  return { status: 200, text, contentType: 'application/yaml', headers: { 'cache-control': 'no-store' } };
});
