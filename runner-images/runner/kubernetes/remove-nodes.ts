/** Takes nodes out of Kubernetes: cordon, drain, etcd member, delete; control nodes one at a time, compute within a budget. */
import type { NodePoolState } from '#domain/cluster-state.ts';
import { isLocked, lockLabels } from '#domain/node-labels.ts';
import type { NodesWork } from '#domain/plan.ts';
import { deadFirst } from '#domain/what-stays.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { drainNode, drainWaits, heldFailure, type NodeHeld } from './drain-node.ts';
import { removeEtcdMember } from './etcd-member.ts';
import type { ClusterNode, Kubectl } from './kubectl.ts';
import { livingOf, refuseLastControl } from './last-control.ts';
import { refuseLastReplica, stopReplicas } from './stop-replicas.ts';

interface Leaving {
  readonly name: string;
  readonly control: boolean;
  readonly pool: string;
}

/** Returns how many nodes were removed; those that are gone already are fine. Throws `NodeLocked` or `DrainWaits` after all others are done. */
export async function removeNodes(
  context: StageContext,
  kubectl: Kubectl,
  { remove: names, maxUnavailable, maxUnavailableOf = {} }: NodesWork,
): Promise<number> {
  if (names.length === 0) return 0;
  const orphan = orphanedNodes(context);
  const nodes = await kubectl.nodes().catch((error) => {
    if (!names.every((name) => orphan.has(name))) throw error;
    for (const name of names) reportTolerated(context, name, error);
    return new Map<string, ClusterNode>();
  });
  const present = names.filter((name) => nodes.has(name)).map((name) => leavingNode(context, name));
  for (const name of names) if (!nodes.has(name)) context.log.write('runner', `${name} is no longer in the cluster`);
  const locked = present.filter(({ name }) => isLocked(nodes.get(name)?.labels ?? {}));
  const free = present.filter((node) => !locked.includes(node));
  const waits: NodeHeld[] = locked.map(({ name }) => lockOf(name));
  const take = async (leaving: Leaving, seen = nodes) => {
    const removed = removeNode(context, kubectl, leaving, seen);
    const held = await (orphan.has(leaving.name)
      ? removed.catch((error) => reportTolerated(context, leaving.name, error))
      : removed);
    if (held) waits.push(held);
    return held;
  };
  // One at a time: the next one waits for the one that is held.
  const living = livingOf(nodes);
  const controls = deadFirst(
    free.filter(({ control }) => control),
    living,
  );
  for (const [place, leaving] of controls.entries()) {
    if (await take(leaving, place === 0 ? nodes : await kubectl.nodes())) break;
  }
  const pools = Map.groupBy(
    free.filter(({ control }) => !control),
    ({ pool }) => pool,
  );
  // One that is held is cordoned and half drained: it is unavailable, too.
  const isHeld = (held: NodeHeld | undefined) => held !== undefined;
  const outcomes = await Promise.all(
    [...pools].map(([pool, leaving]) => settleBounded(leaving, maxUnavailableOf[pool] ?? maxUnavailable, take, isHeld)),
  );
  unwrap(outcomes.flat());
  if (locked.length > 0) throw nodesLocked(waits, 'deleted');
  if (waits.length > 0) throw drainWaits(waits);
  return free.length;
}

/** Returns what holds it, if its pods cannot leave yet: it then stays, cordoned. `seen`: all nodes of Kubernetes. */
async function removeNode(
  context: StageContext,
  kubectl: Kubectl,
  { name, control }: Leaving,
  seen: ReadonlyMap<string, ClusterNode>,
): Promise<NodeHeld | undefined> {
  const live = seen.get(name);
  if (control) refuseLastControl(context, name, seen);
  if (live?.ready === 'Unknown') {
    context.emit({
      kind: 'NodeUnreachable',
      message: `${name} does not answer: its volumes are released`,
      node: name,
    });
    const taint = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
    await kubectl.run(['taint', 'node', name, taint, '--overwrite', '--request-timeout=30s'], { about: name });
  }
  await kubectl.run(['cordon', name, '--request-timeout=30s'], { about: name });
  if (!control) await stopReplicas(context, kubectl, name);
  const held = await drainNode(context, kubectl, name);
  if (held) return held;
  // What a dead machine had is lost: it must not keep its node for ever.
  if (!control && live?.ready !== 'Unknown') await refuseLastReplica(context, kubectl, name);
  if (control) {
    // The drain took minutes.
    const now = await kubectl.nodes();
    const survivors = refuseLastControl(context, name, now);
    await removeEtcdMember(context, kubectl, name, { survivors, living: livingOf(now) });
  }
  await kubectl.run(['delete', 'node', name, '--ignore-not-found', '--wait=true', '--timeout=60s'], { about: name });
  context.facts.node(name, { joined: false });
  context.emit({ kind: 'NodeRemoved', message: `${name} left the cluster`, node: name });
  return undefined;
}

/** Nodes that the user orphans: Kubeloom tries to remove them from Kubernetes; a failure is only a warning. */
function orphanedNodes({ document }: StageContext): ReadonlySet<string> {
  return new Set(document.stages.flatMap((plan) => (plan.stage === 'infrastructure' ? (plan.work.orphan ?? []) : [])));
}

/** A cancelled stage stops here, too. */
function reportTolerated({ emit }: StageContext, node: string, error: unknown): undefined {
  if (!(error instanceof StageFailure) || error.error.code === 'StageCancelled') throw error;
  const message = `${node} is orphaned and could not be removed from Kubernetes: ${error.message}`;
  emit({ kind: 'NodeOrphaned', message, node });
}

function leavingNode({ target, others }: StageContext, name: string): Leaving {
  const pools: readonly NodePoolState[] = [...others, ...(target === null ? [] : [target])].flatMap(
    (state) => state.pools,
  );
  const pool = pools.find(({ nodes }) => nodes.some((node) => node.name === name));
  return { name, control: pool?.role === 'control', pool: pool?.id ?? '' };
}

const lockOf = (node: string): NodeHeld => ({ node, because: `held by the label ${lockLabels.join(' or ')}` });

/** An upgrade waits until the label of these nodes is removed. */
export function upgradeLocked(names: readonly string[]): StageFailure {
  return nodesLocked(names.map(lockOf), 'upgraded');
}

function nodesLocked(waitsFor: readonly NodeHeld[], what: 'deleted' | 'upgraded'): StageFailure {
  return new StageFailure({
    ...heldFailure(waitsFor),
    code: 'NodeLocked',
    hint: `Remove the label once the node may be ${what}; Kubeloom waits for that.`,
  });
}
