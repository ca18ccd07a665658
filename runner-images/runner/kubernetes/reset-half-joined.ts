/** Resets machines on which a join was interrupted (the runner was killed): KubeOne takes a file of kubeadm for a join that is done, or stops at it. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { asRoot, runOverSsh, sshLoginOf } from '../ansible/ssh-command.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { nodeRow } from '../causes/node-causes.ts';
import { unknownOfNode } from '../causes/unknown-answers.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { keepParts } from './kubeconfig.ts';
import { Kubectl } from './kubectl.ts';

/** ssh processes at once. */
const asksAtOnce = 30;

/** It stops the kubelet and removes all its containers. */
const resetMs = 5 * 60_000;

/**
 * Those that have the certificate authority of this cluster, and no node in it. A machine of another cluster is never touched. None in an
 * upgrade: KubeOne joins no node then.
 */
export async function resetHalfJoined(context: StageContext, state: ClusterState, keyDirectory: string): Promise<void> {
  const { document, facts, emit } = context;
  const { before } = document;
  if (before === null || before.kubernetesVersion !== state.kubernetesVersion) return;
  const joining = state.pools
    .flatMap((pool) => pool.nodes.map((node) => ({ node, pool })))
    .filter(({ node: { name } }) => facts.current.nodes[name]?.joined !== true);
  if (joining.length === 0) return;
  const kept = await keepParts(context);
  if (kept === undefined) return;
  const logins = joining.map((member) => sshLoginOf(member, facts.current, keyDirectory));
  const asked = await settleBounded(logins, asksAtOnce, async (login) => {
    const { stdout } = await runOverSsh(context, login, asRoot(login, 'base64 -w0 /etc/kubernetes/pki/ca.crt'));
    return stdout.trim() === kept.parts.authority;
  });
  const half = unwrap(asked).flatMap((isOne, index) => (isOne ? (logins[index] ?? []) : []));
  if (half.length === 0) return;
  const nodes = await new Kubectl(context, kept.file).nodes();
  for (const login of half.filter(({ name }) => !nodes.has(name))) {
    const { code, stderr } = await runOverSsh(context, login, asRoot(login, 'kubeadm reset -f'), { totalMs: resetMs });
    if (code !== 0) throw notReset(login.name, stderr);
    emit({
      kind: 'HalfJoinedReset',
      message: `${login.name}: a join was interrupted on it; it is reset and joins again`,
      node: login.name,
    });
  }
}

function notReset(node: string, stderr: string): StageFailure {
  const words = stderr.trim().split('\n').at(-1)?.trim();
  return new StageFailure({
    class: nodeRow([stderr])?.class ?? unknownOfNode.class,
    code: 'NodeNotReset',
    message: `A join was interrupted on ${node}, and \`kubeadm reset\` failed there: ${words || 'it printed nothing'}`,
    resource: node,
    hint: `Log in on ${node} and run \`kubeadm reset -f\` as root.`,
  });
}
