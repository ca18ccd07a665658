/** Files that outlive waypoints and runs: they are removed when nothing of their cluster, or of their manifest, is left. */
import type { ManifestKey } from '#contracts/records.ts';
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

/** Removes what is kept of a manifest apart from its records. */
export async function removeManifestFiles(
  { artifacts }: Using<'artifacts.removeAll'>,
  { namespace, name }: ManifestKey,
): Promise<void> {
  for (const kind of ['documents', 'agents', 'plugins']) await artifacts.removeAll(`${kind}/${namespace}/${name}/`);
}
