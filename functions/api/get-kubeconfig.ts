/** GET …/clusters/{cluster}/kubeconfig: the key to a cluster, by its id or its name in the manifest. */
import { ClusterPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ path: ClusterPath }, async ({ path }, deps) => {
  const clusters = await deps.clusters.list(path);
  const wanted = clusters.find(({ cluster, current, attempted }) =>
    [cluster, current?.name, attempted?.name].includes(path.cluster),
  );
  if (!wanted) {
    const names = clusters.map(({ cluster }) => cluster).join(', ') || 'none';
    throw new PipelineError('NotFound', `manifest "${path.name}" has no cluster "${path.cluster}"; it has: ${names}`);
  }
  const key = wanted.facts.kubeconfigKey;
  const text = key === undefined ? undefined : await deps.artifacts.getText(key);
  if (text === undefined) {
    throw new PipelineError(
      'NotFound',
      `cluster "${wanted.cluster}" has no kubeconfig yet; wait until Kubernetes runs`,
    );
  }
  return { status: 200, text, contentType: 'application/yaml', headers: { 'cache-control': 'no-store' } };
});
