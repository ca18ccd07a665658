/** An upgrade that was cut off (the runner was killed): KubeOne goes on with it only with `--force-upgrade`. */
import { z } from 'zod';
import type { ClusterState } from '#domain/cluster-state.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';
import type { ContextOf } from '../stage-context.ts';

/** KubeOne's own, on a node while it upgrades it. */
const label = 'kubeone.io/upgrade-in-progress';

const Versions = z.object({ serverVersion: z.object({ gitVersion: z.string() }) });

/**
 * Removes KubeOne's labels of an upgrade that was cut off. Returns the options with which KubeOne goes on with it: without them it refuses while a
 * control node has the label, or the API server has the new version and a kubelet the old one; and a node whose kubelet has the new
 * version would stay cordoned.
 */
export async function goOnWithUpgrade(context: ContextOf<'kubeone'>, state: ClusterState): Promise<readonly string[]> {
  const { before } = context.document;
  if (before === null || before.kubernetesVersion === state.kubernetesVersion) return [];
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return [];
  const kubectl = new Kubectl(context, kubeconfig);
  const nodes = [...(await kubectl.nodes()).values()];
  const labelled = nodes.filter(({ labels }) => labels[label] !== undefined).map(({ name }) => name);
  const wanted = `v${state.kubernetesVersion}`;
  const mixed =
    nodes.some(({ kubeletVersion }) => kubeletVersion !== wanted) && (await serverVersion(kubectl)) === wanted;
  if (labelled.length === 0 && !mixed) return [];
  const message = `an earlier upgrade to ${state.kubernetesVersion} was cut off${labelled.length === 0 ? '' : ` at ${labelled.join(', ')}`}: KubeOne goes on with it`;
  context.emit({ kind: 'UpgradeResumed', message });
  if (labelled.length > 0) await kubectl.run(['label', 'node', ...labelled, `${label}-`, '--request-timeout=30s']);
  return ['--force-upgrade'];
}

async function serverVersion(kubectl: Kubectl): Promise<string> {
  const { stdout } = await kubectl.run(['version', '-o', 'json', '--request-timeout=30s'], { onLine: complaintsOnly });
  return Versions.parse(JSON.parse(stdout)).serverVersion.gitVersion;
}
