/** Nodes that do not answer, found before KubeOne tries each of them ten times in eight minutes and stops. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { publicAddressOf, sshPortOf } from '#rendering/node-access.ts';
import { type SshTarget, sshFaultOf, waitForSsh } from '../ansible/ssh-banner.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { type Member, membersOf } from '../kubernetes/members.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure, stageCancelled } from '../stage-failure.ts';
import { brokenHint } from './kubeone-failure.ts';

/** Connections at once. */
const asksAtOnce = 100;

interface Silent extends Member {
  /** Where it was asked, and why that failed. */
  readonly fault: string;
}

/**
 * Names of nodes that KubeOne works without: compute nodes that were there before, when others join. An upgrade needs every node. Control
 * nodes are needed, too: when nodes join, KubeOne removes the etcd members and Node objects of those that it is not given, alive or not;
 * it leaves compute nodes as they are. Throws `HostUnreachable` with all that are needed and do not answer, not even after the time in which
 * a machine restarts.
 */
export async function absentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  const { before, direction } = context.document;
  const silent = await silentNodes(context, state);
  const joins = ['grow', 'repair'].includes(direction) && before?.kubernetesVersion === state.kubernetesVersion;
  const earlier = new Set((before === null ? [] : membersOf(before)).map(({ node }) => node.name));
  const isNeeded = ({ node, pool }: Silent) => !joins || pool.role === 'control' || !earlier.has(node.name);
  const lasting = await stillSilent(context, silent.filter(isNeeded));
  if (lasting.length > 0) throw unreachable(lasting, state, before);
  return reportAbsent(
    context,
    silent.filter((member) => !isNeeded(member)),
  );
}

/** Names of nodes that a reset works without: all that do not answer. */
export async function unresetNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<ReadonlySet<string>> {
  return reportAbsent(context, await silentNodes(context, state));
}

async function silentNodes(context: ContextOf<'kubeone'>, state: ClusterState): Promise<readonly Silent[]> {
  const { facts, ports } = context;
  const outcomes = await settleBounded(membersOf(state), asksAtOnce, async (member) => {
    const at = targetOf(context, member);
    const fault = await sshFaultOf(at);
    return fault === undefined ? [] : [{ ...member, fault: `${at.host}:${at.port}: ${fault}` }];
  });
  const silent = unwrap(outcomes).flat();
  for (const { node } of silent) facts.answers(node.name, false, ports.clock.now());
  return silent;
}

function targetOf({ facts }: ContextOf<'kubeone'>, { node, pool }: Member): SshTarget {
  const { name } = node;
  return { name, host: publicAddressOf(node, facts.current), port: sshPortOf(node, pool, facts.current) };
}

/** A failure undoes the whole change: what restarts right now is waited for. */
async function stillSilent(context: ContextOf<'kubeone'>, silent: readonly Silent[]): Promise<readonly Silent[]> {
  const { facts, ports, emit, signal } = context;
  const totalMs = 1000 * ports.config.KUBELOOM_SSH_WAIT_SECONDS;
  const report = (message: string, node: string) => emit({ kind: 'WaitsForSsh', message, node });
  const outcomes = await settleBounded(silent, asksAtOnce, async (member) => {
    await waitForSsh([{ ...targetOf(context, member), totalMs }], { signal, report });
    facts.answers(member.node.name, true, ports.clock.now());
  });
  if (signal.aborted) throw stageCancelled(signal);
  return silent.filter((_, index) => outcomes[index]?.status === 'rejected');
}

function reportAbsent({ emit }: ContextOf<'kubeone'>, silent: readonly Silent[]): ReadonlySet<string> {
  for (const { node } of silent) {
    const message = `${node.name} does not answer: KubeOne runs without it; its objects in Kubernetes stay`;
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
    message: `KubeOne needs these nodes, but they do not answer over SSH: ${words}`,
    resource: first,
    hint: isNew ? 'Check that the machine runs and that its SSH port is open.' : brokenHint(first, state),
  });
}
