/** Removes from Kubernetes what it still has of machines that were lost and recreated under the same names: Node object and etcd member. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { StageContext } from '../stage-context.ts';
import { removeEtcdMember } from './etcd-member.ts';
import { keepKubeconfig } from './kubeconfig.ts';
import { Kubectl } from './kubectl.ts';

/**
 * KubeOne stops at a node that is a member and does not run Kubernetes. Nodes that have joined again (their kubelet runs on the
 * machine that Ansible found) are left as they are. There is nothing to remove when no other control node is left to do it.
 */
export async function removeOldMembers(
  context: StageContext,
  state: ClusterState,
  recreated: readonly string[],
): Promise<void> {
  const controls = state.pools
    .filter(({ role }) => role === 'control')
    .flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const survivors = controls.filter((name) => !recreated.includes(name));
  if (recreated.length === 0 || survivors.length === 0) return;
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return;
  const kubectl = new Kubectl(context, kubeconfig);
  const nodes = await kubectl.nodes();
  for (const name of recreated) {
    const old = nodes.get(name);
    if (old?.bootId === context.facts.current.nodes[name]?.bootId) continue;
    // A control node may have got into etcd and not into Kubernetes.
    if (controls.includes(name)) await removeEtcdMember(context, kubectl, name, survivors);
    if (old === undefined) continue;
    await kubectl.run(['delete', 'node', name, '--ignore-not-found', '--wait=true', '--timeout=60s'], { about: name });
    context.facts.node(name, { joined: false });
    context.emit({
      kind: 'OldNodeRemoved',
      message: `${name}: its lost machine was removed from Kubernetes`,
      node: name,
    });
  }
}
