/** The kubeconfig of a cluster: written by us from what a control node had, kept as an artifact, and copied for kubectl. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterKeys } from '#contracts/stage.ts';
import type { KubeconfigParts } from '#domain/observed/kubeconfig.ts';
import { type KnownCluster, ownKubeconfig } from '#rendering/own-kubeconfig.ts';
import type { JobContext } from '../job-frame.ts';
import { type ClusterContext, knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

/** A file of ours, mode 0600, and what is in it. */
export interface KeptKubeconfig {
  readonly file: string;
  readonly parts: KubeconfigParts;
}

/**
 * Writes it into the work directory; undefined when the cluster has none (yet). It leads to the control node that is the endpoint: the
 * stored one may still lead to one that was lost, until KubeOne has run again. Throws `KubeconfigRefused`.
 */
export async function keepKubeconfig(context: ClusterContext): Promise<string | undefined> {
  return (await keepParts(context))?.file;
}

/** The same with its parts. */
export async function keepParts(context: ClusterContext): Promise<KeptKubeconfig | undefined> {
  const key = context.facts.current.kubeconfigKey ?? clusterKeys(context.document).kubeconfig;
  const text = await context.ports.artifacts.getText(key);
  if (text === undefined) return undefined;
  const cluster = { states: knownStates(context), facts: context.facts.current };
  return placeKubeconfig(context, text, cluster);
}

/** Throws `KubeconfigRefused`. */
export async function placeKubeconfig(
  around: Pick<JobContext, 'mask' | 'workDirectory'>,
  text: string,
  cluster: KnownCluster,
): Promise<KeptKubeconfig> {
  const own = acceptedKubeconfig(around, text, cluster);
  const file = join(around.workDirectory, 'kubeconfig');
  await writeFile(file, own.text, { mode: 0o600 });
  return { file, parts: own.parts };
}

/** Ours in place of `text`; `node`: whose file it was, where that is known. Throws `KubeconfigRefused`. */
export function acceptedKubeconfig(
  { mask }: Pick<JobContext, 'mask'>,
  text: string,
  cluster: KnownCluster,
  node?: string,
): { readonly text: string; readonly parts: KubeconfigParts } {
  const own = ownKubeconfig(text, cluster);
  if ('refusal' in own) throw kubeconfigRefused(cluster.states[0]?.name, own.refusal, node);
  mask.add([own.parts.key, Buffer.from(own.parts.key, 'base64').toString()]);
  return own;
}

/** Removes it, and the backup of the certificate authority. */
export async function removeKubeconfig({ document, facts, ports }: StageContext<'artifacts.remove'>): Promise<void> {
  for (const key of Object.values(clusterKeys(document))) await ports.artifacts.remove(key);
  facts.kubeconfig(undefined);
}

/** Its author may want a program to run here: a person has to find out, so it is not retried. */
function kubeconfigRefused(cluster: string | undefined, why: string, node: string | undefined): StageFailure {
  const from = node === undefined ? '' : `, from /etc/kubernetes/admin.conf of ${node},`;
  return new StageFailure({
    class: 'user',
    code: 'KubeconfigRefused',
    message: `The kubeconfig of ${cluster === undefined ? 'the cluster' : `cluster ${cluster}`}${from} ${why}.`,
    ...(node === undefined ? {} : { resource: node }),
    hint: 'Kubeloom runs nothing that a control node puts there. Find out who changed the file on that node: replace the node, or write the file again with `kubeadm init phase kubeconfig admin`, then retry from the stage kubernetes.',
  });
}
