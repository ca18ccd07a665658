/** Nodes that do not answer, found before KubeOne tries each of them ten times in eight minutes and stops. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { publicAddressOf, sshPortOf } from '#rendering/node-access.ts';
import { sshFaultOf } from '../ansible/ssh-banner.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { type Member, membersOf } from '../kubernetes/members.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { brokenHint } from './kubeone-failure.ts';

/** Connections at once. */
const asksAtOnce = 100;

interface Silent extends Member {
  readonly fault: string;
}

/**
 * Names of nodes that KubeOne works without: compute nodes that were there before, when others join. An upgrade needs every node. Control
 * nodes are needed, too: when nodes join, KubeOne removes the etcd members and Node objects of those that it is not given, alive or not;
 * it leaves compute nodes as they are. Throws `HostUnreachable` with all that are needed and do not answer.
 */
export async function absentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  const { before, direction } = context.document;
  const silent = await silentNodes(context, state);
  const joins = ['grow', 'repair'].includes(direction) && before?.kubernetesVersion === state.kubernetesVersion;
  const earlier = new Set((before === null ? [] : membersOf(before)).map(({ node }) => node.name));
  const isNeeded = ({ node, pool }: Silent) => !joins || pool.role === 'control' || !earlier.has(node.name);
  const needed = silent.filter(isNeeded);
  if (needed.length > 0) throw unreachable(needed, state, before);
  return leaveOut(context, silent);
}

/** Names of nodes that a reset works without: all that do not answer. */
export async function unresetNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  return leaveOut(context, await silentNodes(context, state));
}

async function silentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<readonly Silent[]> {
  const { facts, ports } = context;
  const outcomes = await settleBounded(membersOf(state), asksAtOnce, async (member) => {
    const { node, pool } = member;
    const at = { host: publicAddressOf(node, facts.current), port: sshPortOf(node, pool, facts.current) };
    const fault = await sshFaultOf({ name: node.name, ...at });
    return fault === undefined ? [] : [{ ...member, fault: `${at.host}:${at.port}: ${fault}` }];
  });
  const silent = unwrap(outcomes).flat();
  for (const { node } of silent) facts.answers(node.name, false, ports.clock.now());
  return silent;
}

function leaveOut({ emit }: ContextOf<'kubeone'>, silent: readonly Silent[]): ReadonlySet<string> {
  for (const { node } of silent) {
    const message = `${node.name} does not answer: KubeOne works without it, and what Kubernetes has of it stays`;
    emit({ kind: 'NodeLeftOut', message, node: node.name });
  }
  return new Set(silent.map(({ node }) => node.name));
}

function unreachable(silent: readonly Silent[], state: ClusterState, before: ClusterState | null): StageFailure {
  const words = silent.map(({ node, fault }) => `${node.name} (${fault})`).join(', ');
  const first = silent[0]?.node.name ?? '';
  const isNew = before === null || !membersOf(before).some(({ node }) => node.name === first);
  return new StageFailure({
    class: 'conflict',
    code: 'HostUnreachable',
    message: `KubeOne needs every node that it is given, and these do not answer over SSH: ${words}`,
    resource: first,
    hint: isNew ? 'Check that the machine runs and that its SSH port is open.' : brokenHint(first, state),
  });
}
