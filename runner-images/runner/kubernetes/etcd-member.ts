/** Takes the etcd member of one control node out of the cluster, through a control node that stays. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { KubernetesName } from '#domain/observed/kubernetes-texts.ts';
import { keepsQuorum } from '#domain/what-stays.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import type { Kubectl } from './kubectl.ts';
import { noMajority } from './last-control.ts';

/** An id becomes an argument of etcdctl. A member that has not started has no name. */
export const EtcdMembers = z.object({
  members: z.array(z.object({ ID: closedText(16, /^[0-9a-f]+$/), name: KubernetesName.or(z.literal('')).default('') })),
});

const certificates = '/etc/kubernetes/pki/etcd';
const flags: Readonly<Record<string, string>> = {
  ETCDCTL_ENDPOINTS: '--endpoints=https://127.0.0.1:2379',
  ETCDCTL_CACERT: `--cacert=${certificates}/ca.crt`,
  ETCDCTL_CERT: `--cert=${certificates}/healthcheck-client.crt`,
  ETCDCTL_KEY: `--key=${certificates}/healthcheck-client.key`,
};

/**
 * kubectl's arguments for etcdctl in the etcd pod of a control node. `environment`: names of the pod's variables (`etcdEnvironment`). KubeOne
 * sets etcdctl's there, kubeadm alone does not, and etcdctl refuses a flag whose variable is set.
 */
export function etcdctlIn(node: string, environment: string): readonly string[] {
  const set = new Set(environment.split(/\s+/));
  const missing = Object.entries(flags).flatMap(([variable, flag]) => (set.has(variable) ? [] : [flag]));
  return ['exec', '-n', 'kube-system', `etcd-${node}`, '--', 'etcdctl', ...missing];
}

/** kubectl's arguments that ask for the names of the variables of a control node's etcd pod. */
export function etcdEnvironment(node: string): readonly string[] {
  return ['get', 'pod', '-n', 'kube-system', `etcd-${node}`, '-o', 'jsonpath={.spec.containers[0].env[*].name}'];
}

/**
 * Removes only the member of this very node; one that is gone is fine. `survivors`: names of control nodes that stay; `living`: of all
 * nodes that answer. Throws `EtcdUnreachable`, and `LastControlNode` when the members that are left would have no majority.
 */
export async function removeEtcdMember(
  context: StageContext,
  kubectl: Kubectl,
  node: string,
  { survivors, living }: { readonly survivors: readonly string[]; readonly living: ReadonlySet<string> },
): Promise<void> {
  if (context.facts.current.simulated.includes('control plane')) {
    context.log.write('runner', `${node}: no etcd member to remove (simulated control plane)`);
    return;
  }
  for (const survivor of survivors) {
    const { code, stdout: environment } = await kubectl.try([...etcdEnvironment(survivor), '--request-timeout=30s']);
    if (code !== 0) continue;
    const etcdctl = etcdctlIn(survivor, environment);
    const listed = await kubectl.try([...etcdctl, 'member', 'list', '--write-out=json', '--hex=true']);
    if (listed.code !== 0) continue;
    const member = memberOf(listed.stdout, node);
    if (member === undefined) return;
    const members = membersIn(listed.stdout, node).map(({ ID, name }) => name || `the member ${ID}`);
    if (!keepsQuorum(node, { members, living })) throw noMajority(node, members, living);
    await kubectl.run([...etcdctl, 'member', 'remove', member], { about: node });
    return;
  }
  throw new StageFailure({
    class: 'transient',
    code: 'EtcdUnreachable',
    message: `No etcd of ${survivors.join(', ')} answers, so the member of ${node} cannot be removed.`,
    resource: node,
    hint: 'Check the etcd pods in kube-system.',
  });
}

/** Hex id of a node's member; names are compared whole. */
export function memberOf(output: string, node: string): string | undefined {
  return membersIn(output, node).find(({ name }) => name === node)?.ID;
}

/** Warnings may precede the JSON. */
function membersIn(output: string, node: string): z.infer<typeof EtcdMembers>['members'] {
  const json = output.split('\n').find((line) => line.startsWith('{')) ?? output;
  const about = { tool: 'etcdctl', what: 'its list of members', resource: node };
  return readToolJson(EtcdMembers, json, about).members;
}
