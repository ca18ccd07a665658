/** Removes from Kubernetes what it still has of machines that were lost and recreated under the same names: Node object and etcd member. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { runOverSsh, sshLoginOf } from '../ansible/ssh-command.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { removeEtcdMember } from './etcd-member.ts';
import { keepKubeconfig } from './kubeconfig.ts';
import { Kubectl } from './kubectl.ts';
import { livingOf } from './last-control.ts';
import { controlNames, type Member, nodesInDoubt } from './members.ts';

/** ssh processes at once. */
const asksAtOnce = 30;

/**
 * KubeOne stops at a node that is a member and does not run Kubernetes. So each machine that may be a new one is asked whether it does:
 * only its own no counts, since what is known of it may be older than its last restart. Throws `ControlPlaneLost` when etcd has lost its
 * quorum with them: KubeOne would make another, empty cluster.
 */
export async function removeOldMembers(
  context: StageContext,
  state: ClusterState,
  keyDirectory: string,
): Promise<void> {
  const doubtful = nodesInDoubt(context, state);
  const asked = await settleBounded(doubtful, asksAtOnce, (member) => isBare(context, member, keyDirectory));
  const bare = unwrap(asked).flatMap((isOne, index) => (isOne ? [doubtful[index]?.node.name ?? ''] : []));
  const controls = controlNames(state);
  const survivors = controls.filter((name) => !bare.includes(name));
  if (bare.length === 0) return;
  if (survivors.length * 2 <= controls.length) throw controlPlaneLost(controls.filter((name) => bare.includes(name)));
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return;
  const kubectl = new Kubectl(context, kubeconfig);
  const nodes = await kubectl.nodes();
  for (const name of bare) {
    // A control node may have got into etcd and not into Kubernetes.
    if (controls.includes(name)) await removeEtcdMember(context, kubectl, name, { survivors, living: livingOf(nodes) });
    context.facts.node(name, { joined: false });
    if (!nodes.has(name)) continue;
    await kubectl.run(['delete', 'node', name, '--ignore-not-found', '--wait=true', '--timeout=60s'], { about: name });
    context.emit({
      kind: 'OldNodeRemoved',
      message: `${name}: its lost machine was removed from Kubernetes`,
      node: name,
    });
  }
}

/** The machine itself answers that kubeadm never ran on it, or not since it was reset: KubeOne asks the same. */
async function isBare(context: StageContext, member: Member, keyDirectory: string): Promise<boolean> {
  const login = sshLoginOf(member, context.facts.current, keyDirectory);
  // One sudo around both: one that fails is no answer.
  const sudo = login.user === 'root' ? '' : 'sudo -n ';
  const test = `${sudo}sh -c 'test -e /etc/kubernetes/kubelet.conf; echo kubeloom-joined-$?'`;
  const { code, stdout } = await runOverSsh(context, login, test);
  return code === 0 && stdout.split('\n').includes('kubeloom-joined-1');
}

function controlPlaneLost(names: readonly string[]): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'ControlPlaneLost',
    message: `The machines of ${names.join(', ')} were lost, and with them the quorum of etcd: what Kubernetes stored is not on any control node that is left, or cannot be read there.`,
    resource: names[0] ?? '',
    hint: 'Restore a backup of etcd by hand and retry, or delete the manifest and apply it again. Three control nodes survive the loss of one.',
  });
}
