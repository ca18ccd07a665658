/** The clusters of a manifest: the kubeconfig of one, and which one a path means. */
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { type KnownCluster, ownKubeconfig } from '#rendering/own-kubeconfig.ts';
import { recordAccess } from '../pipeline/records/audit-event.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { handle } from './http/handle.ts';

export const getKubeconfig = handle(operations.getKubeconfig, async ({ path, caller }, deps) => {
  const wanted = namedCluster(await deps.clusters.list(path), path);
  const title = clusterName(wanted);
  if (deps.config.KUBELOOM_ENDLESS_KUBECONFIGS === 'no') throw refused(`${endless}: ${instead(title)}`);
  const key = wanted.facts.kubeconfigKey;
  const text = key === undefined ? undefined : await deps.artifacts.getText(key);
  if (text === undefined) {
    throw new PipelineError('NotFound', `cluster "${title}" has no kubeconfig yet; wait until Kubernetes runs`);
  }
  const own = ownKubeconfig(text, knownCluster(wanted));
  if ('refusal' in own) throw refused(`the kubeconfig of cluster "${title}" ${own.refusal}; ${rewrite}`);
  await recordAccess(deps, path, { kind: 'KubeconfigRead', message: `kubeconfig of ${title} read` }, caller);
  return { text: own.text, contentType: 'application/yaml', headers: { 'cache-control': 'no-store' } };
});

const endless = 'this installation gives out no kubeconfig without an end';
const instead = (title: string): string =>
  `\`kubeloom kubeconfig ${title} --ttl 8h --role admin\` gives one of your own`;
const rewrite = 'write it again on its control node, then retry from the stage kubernetes';
const refused = (why: string): PipelineError => new PipelineError('KubeconfigRefused', why);

/** What may exist of a cluster: its state, then that which a waypoint leads to. */
export function knownCluster({ current, attempted, facts }: ClusterRecord): KnownCluster {
  return { states: [current, attempted].filter((state) => state !== null), facts };
}

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
