/** Where the kubeconfig of a cluster is kept, and a private copy of it for kubectl. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { StageContext } from '../stage-context.ts';

/** Artifact key of a cluster's kubeconfig. */
export function kubeconfigKey(document: Pick<WaypointDocument, 'namespace' | 'manifest' | 'cluster'>): string {
  return `kubeconfigs/${document.namespace}/${document.manifest}/${document.cluster}`;
}

/** Writes it into the work directory, mode 0600; undefined when the cluster has none (yet). */
export async function writeKubeconfig(context: StageContext): Promise<string | undefined> {
  const key = context.facts.current.kubeconfigKey ?? kubeconfigKey(context.document);
  const text = await context.ports.artifacts.getText(key);
  if (text === undefined) return undefined;
  context.mask.add(secretsIn(text));
  const file = join(context.workDirectory, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Removes it, and the backup of the certificate authority beside it: the cluster is gone. */
export async function removeKubeconfig({ document, facts, ports }: StageContext): Promise<void> {
  const key = kubeconfigKey(document);
  await ports.artifacts.remove(key);
  await ports.artifacts.remove(backupKey(key));
  facts.kubeconfig(undefined);
}

/** Where the backup of a cluster's certificate authority is kept. */
export function backupKey(key: string): string {
  return `${key}.pki.tar.gz`;
}

/** Keys, certificates and tokens in a kubeconfig. */
function secretsIn(kubeconfig: string): readonly string[] {
  return [...kubeconfig.matchAll(/^\s*(?:client-key-data|token|password):\s*"?([^"\s]+)"?\s*$/gm)].flatMap((match) =>
    match[1] === undefined ? [] : [match[1]],
  );
}
