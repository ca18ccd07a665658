/** Brings nodes to the labels, annotations, taints and provider ids of the target state, and waits until they are ready. */
import { setTimeout as pause } from 'node:timers/promises';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import { type DesiredNode, nodePatch } from '#rendering/node-patch.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure, stageCancelled } from '../stage-failure.ts';
import type { ClusterNode, Kubectl } from './kubectl.ts';

/** kubectl processes at once. */
const patchesAtOnce = 30;
/** A conflict means that another client wrote the node in between. */
const triesOnConflict = 4;

export interface NodeWaitTimes {
  /** For a node to show up and to become ready. @default 5 minutes */
  readonly totalMs?: number;
  /** @default 2 s */
  readonly pauseMs?: number;
}

/** Returns how many nodes were changed. Throws `NodeMissing`, `NodeNotReady` and the errors of kubectl. */
export async function patchNodes(
  context: StageContext,
  kubectl: Kubectl,
  names: readonly string[],
  waiting: NodeWaitTimes = {},
): Promise<number> {
  const { target, others, facts } = context;
  if (target === null || names.length === 0) return 0;
  const nodes = await nodesOnce(context, kubectl, names, (node) => node !== undefined, 'NodeMissing', waiting);
  const outcomes = await settleBounded(names, patchesAtOnce, async (name) => {
    const desired = find(target, name);
    if (desired === undefined) return 0;
    const before = others.map((state) => find(state, name)).filter((found) => found !== undefined);
    return patchNode(kubectl, nodes.get(name), desired, before);
  });
  const changed = unwrap(outcomes).reduce((sum, count) => sum + count, 0);
  // A node that joined long ago may be down for other reasons: the others are still marked.
  const joining = names.filter((name) => facts.current.nodes[name]?.joined !== true);
  if (joining.length > 0) {
    await nodesOnce(context, kubectl, joining, (node) => node?.ready === 'True', 'NodeNotReady', waiting);
  }
  for (const name of joining) {
    facts.node(name, { joined: true });
    context.emit({ kind: 'NodeJoined', message: `${name} is ready`, node: name });
  }
  return changed;
}

async function patchNode(
  kubectl: Kubectl,
  live: ClusterNode | undefined,
  desired: DesiredNode,
  before: readonly DesiredNode[],
): Promise<number> {
  const { name } = desired.node;
  let current = live;
  for (let tries = 1; current !== undefined; tries += 1) {
    const patch = nodePatch(current, desired, before);
    if (patch === undefined) return 0;
    try {
      await kubectl.run(['patch', 'node', name, '--type=merge', '-p', JSON.stringify(patch), '--request-timeout=30s'], {
        about: name,
      });
      return 1;
    } catch (error) {
      const conflict = error instanceof StageFailure && error.error.code === 'NodeChanged';
      if (!conflict || tries >= triesOnConflict) throw error;
      current = (await kubectl.nodes()).get(name);
    }
  }
  return 0;
}

/** The nodes once all named ones are as `good` says. */
async function nodesOnce(
  { signal, log }: StageContext,
  kubectl: Kubectl,
  names: readonly string[],
  good: (node: ClusterNode | undefined) => boolean,
  code: 'NodeMissing' | 'NodeNotReady',
  { totalMs = 300_000, pauseMs = 2000 }: NodeWaitTimes,
): Promise<ReadonlyMap<string, ClusterNode>> {
  const deadline = performance.now() + totalMs;
  for (;;) {
    const nodes = await kubectl.nodes();
    const waitedFor = names.filter((name) => !good(nodes.get(name)));
    const [first] = waitedFor;
    if (first === undefined) return nodes;
    if (performance.now() > deadline) throw stillWaiting(code, first, waitedFor.length, totalMs);
    log.write(
      'runner',
      `waiting for ${waitedFor.join(', ')} (${code === 'NodeMissing' ? 'not in the cluster yet' : 'not ready yet'})`,
    );
    await pause(pauseMs, undefined, { signal }).catch(() => {
      throw stageCancelled(signal);
    });
  }
}

function stillWaiting(code: string, node: string, count: number, totalMs: number): StageFailure {
  const what = code === 'NodeMissing' ? 'has not joined the cluster' : 'is not ready';
  const others = count > 1 ? ` (and ${count - 1} more)` : '';
  return new StageFailure({
    class: 'transient',
    code,
    message: `${node} ${what} after ${Math.round(totalMs / 1000)} s${others}.`,
    resource: node,
    hint: 'See `kubectl describe node` and the kubelet’s log on that machine.',
  });
}

function find(state: ClusterState, name: string): DesiredNode | undefined {
  return allNodes(state).find(({ node }) => node.name === name);
}
