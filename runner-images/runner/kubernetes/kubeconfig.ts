/** Where the kubeconfig of a cluster is kept, and a private copy of it for kubectl. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterKeys } from '#contracts/stage.ts';
import type { ClusterContext, StageContext } from '../stage-context.ts';

/** Writes it into the work directory, mode 0600; undefined when the cluster has none (yet). */
export async function keepKubeconfig(context: ClusterContext): Promise<string | undefined> {
  const key = context.facts.current.kubeconfigKey ?? clusterKeys(context.document).kubeconfig;
  const text = await context.ports.artifacts.getText(key);
  if (text === undefined) return undefined;
  context.mask.add(secretsIn(text));
  const file = join(context.workDirectory, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Removes it, and the backup of the certificate authority next to it. */
export async function removeKubeconfig({ document, facts, ports }: StageContext<'artifacts.remove'>): Promise<void> {
  for (const key of Object.values(clusterKeys(document))) await ports.artifacts.remove(key);
  facts.kubeconfig(undefined);
}

/** Keys, certificates and tokens in a kubeconfig. */
export function secretsIn(kubeconfig: string): readonly string[] {
  return [...kubeconfig.matchAll(/^\s*(?:client-key-data|token|password):\s*"?([^"\s]+)"?\s*$/gm)].flatMap((match) =>
    match[1] === undefined ? [] : [match[1]],
  );
}
