/** Where the kubeconfig of a cluster is kept, and a private copy of it for kubectl. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterKeys } from '#contracts/stage.ts';
import { apiAddress } from '#rendering/kubeone-manifest.ts';
import type { ClusterContext, StageContext } from '../stage-context.ts';

/**
 * Writes it into the work directory, mode 0600; undefined when the cluster has none (yet). It leads to the control node that is the endpoint:
 * the stored one may still lead to one that was lost, until KubeOne has run again.
 */
export async function keepKubeconfig(context: ClusterContext): Promise<string | undefined> {
  const key = context.facts.current.kubeconfigKey ?? clusterKeys(context.document).kubeconfig;
  const text = await context.ports.artifacts.getText(key);
  if (text === undefined) return undefined;
  context.mask.add(secretsIn(text));
  const file = join(context.workDirectory, 'kubeconfig');
  await writeFile(file, ledToEndpoint(context, text), { mode: 0o600 });
  return file;
}

/** Removes it, and the backup of the certificate authority. */
export async function removeKubeconfig({ document, facts, ports }: StageContext<'artifacts.remove'>): Promise<void> {
  for (const key of Object.values(clusterKeys(document))) await ports.artifacts.remove(key);
  facts.kubeconfig(undefined);
}

function ledToEndpoint({ target, facts }: ClusterContext, kubeconfig: string): string {
  if (target?.apiEndpoint.kind !== 'node') return kubeconfig;
  const { host, port } = apiAddress(target, facts.current);
  return kubeconfig.replace(/^(\s*server:\s).*$/m, `$1https://${host}:${port}`);
}

/** Keys, certificates and tokens in a kubeconfig. */
export function secretsIn(kubeconfig: string): readonly string[] {
  return [...kubeconfig.matchAll(/^\s*(?:client-key-data|token|password):\s*"?([^"\s]+)"?\s*$/gm)].flatMap((match) =>
    match[1] === undefined ? [] : [match[1]],
  );
}
