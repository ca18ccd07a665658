/** Files of a cluster that outlive its waypoints: they are removed when nothing of the cluster is left. */
import { clusterKeys } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import type { Using } from '../../ports.ts';

/**
 * Removes kubeconfig and backup of the certificate authority. The runner that removes the machines must not: its role
 * works with templates of users, and would give them access to the kubeconfigs of others.
 */
export async function removeClusterFiles(
  { artifacts }: Using<'artifacts.remove'>,
  { namespace, name, cluster }: ClusterRun,
): Promise<void> {
  await Promise.all(
    Object.values(clusterKeys({ namespace, manifest: name, cluster })).map((key) => artifacts.remove(key)),
  );
}
