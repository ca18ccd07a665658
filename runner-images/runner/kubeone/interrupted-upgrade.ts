/** An upgrade that was interrupted (the runner was killed): KubeOne continues it only with `--force-upgrade`. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { ClusterState } from '#domain/cluster-state.ts';
import { isLocked } from '#domain/node-labels.ts';
import { KubernetesRelease } from '#domain/observed/kubernetes-texts.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { type ClusterNode, Kubectl } from '../kubernetes/kubectl.ts';
import { upgradeLocked } from '../kubernetes/remove-nodes.ts';
import { complaintsOnly } from '../process.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';

/** KubeOne's own, on a node while it upgrades it. */
const label = 'kubeone.io/upgrade-in-progress';

/** kubeadm continues for a while on the node where KubeOne was killed, and restarts etcd and the API server. */
const patienceMs = 4 * 60_000;

export const ServerVersion = z.object({ serverVersion: z.object({ gitVersion: KubernetesRelease }) });

/**
 * Uncordons the nodes at which an upgrade was interrupted, and removes KubeOne's labels of it. Returns the options with which KubeOne continues: without
 * them it refuses while a control node has the label, or the API server has the new version and a kubelet the old one. It begins with the
 * control plane, and would drain that for ever if its pods had no other node to go to. Throws `NodeLocked` while a user holds a node that is not
 * upgraded yet.
 */
export async function continueUpgrade(context: ContextOf<'kubeone'>, state: ClusterState): Promise<readonly string[]> {
  const { before } = context.document;
  if (before === null || before.kubernetesVersion === state.kubernetesVersion) return [];
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return [];
  const kubectl = new Kubectl(context, kubeconfig);
  const nodes = [...(await onceItAnswers(kubectl)).values()];
  const labelled = nodes.filter(({ labels }) => labels[label] !== undefined).map(({ name }) => name);
  const wanted = `v${state.kubernetesVersion}`;
  // KubeOne upgrades all nodes or none, so it waits for each that is held.
  const locked = nodes.filter(({ kubeletVersion, labels }) => kubeletVersion !== wanted && isLocked(labels));
  if (locked.length > 0) throw upgradeLocked(locked.map(({ name }) => name));
  const mixed =
    nodes.some(({ kubeletVersion }) => kubeletVersion !== wanted) && (await serverVersion(kubectl)) === wanted;
  if (labelled.length === 0 && !mixed) return [];
  const message = `an earlier upgrade to ${state.kubernetesVersion} was interrupted${labelled.length === 0 ? '' : ` at ${labelled.join(', ')}`}: KubeOne continues it`;
  context.emit({ kind: 'UpgradeResumed', message });
  if (labelled.length > 0) {
    await kubectl.run(['uncordon', ...labelled, '--request-timeout=30s']);
    await kubectl.run(['label', 'node', ...labelled, `${label}-`, '--request-timeout=30s']);
  }
  return ['--force-upgrade'];
}

async function onceItAnswers(kubectl: Kubectl): Promise<ReadonlyMap<string, ClusterNode>> {
  for (const end = performance.now() + patienceMs; ; await pause(1000)) {
    try {
      return await kubectl.nodes();
    } catch (error) {
      const away = error instanceof StageFailure && error.error.code === 'KubernetesUnreachable';
      if (!away || performance.now() > end) throw error;
    }
  }
}

async function serverVersion(kubectl: Kubectl): Promise<string> {
  const { stdout } = await kubectl.run(['version', '-o', 'json', '--request-timeout=30s'], { onLine: complaintsOnly });
  return readToolJson(ServerVersion, stdout, { tool: 'kubectl', what: 'the version of the API server' }).serverVersion
    .gitVersion;
}
