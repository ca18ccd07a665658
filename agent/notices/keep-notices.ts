/**
 * Acts on what the pods on nodes of clouds say: marks the node with a taint, so that no pod comes to it, moves its pods off where the machine
 * ends or restarts, and takes the taint back when the notice is over. What happens to the machine is Kubeloom's to decide: the taint is reported.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Notice, type NoticeKind, noticeIn, noticeMeaning, type SaidNotice } from '#domain/node-notice.ts';
import { type ActingApi, ReportedNodes } from '../node-agent.ts';
import { evictPods } from './evict-pods.ts';
import { markNode } from './mark-node.ts';
import { noticePodsPath, saidNotices } from './said-notices.ts';

/** Between two readings of what the pods say; longer in clusters with more than some fifty of them, whose list is long. */
const msOfPod = 20;

export interface NoticeKeeping {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** The taint of a node has changed: that is to be reported at once. */
  readonly changed: () => void;
}

/** What this process did: after a restart the taints say it. */
interface Done {
  /** By name of the node: the taint that we set. */
  readonly marked: Map<string, NoticeKind>;
  /** Nodes whose pods have left. */
  readonly drained: Set<string>;
}

/** Until the signal. A round that fails is reported, and the next one follows: what is not known changes nothing. */
export async function keepNotices(cluster: ActingApi, keeping: NoticeKeeping): Promise<void> {
  const { everyMs, signal, say } = keeping;
  let done: Done | undefined;
  let pods = 0;
  while (!signal.aborted) {
    try {
      done ??= await doneBefore(cluster);
      const said = saidNotices(await cluster.get(noticePodsPath));
      pods = said.size;
      for (const [node, notice] of said) await actOn(cluster, { node, notice, done, keeping });
    } catch (error) {
      say(`a round for notices failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(Math.max(everyMs, msOfPod * pods), undefined, { signal }).catch(() => undefined);
  }
}

async function doneBefore(cluster: Pick<ActingApi, 'get'>): Promise<Done> {
  const { items } = ReportedNodes.parse(await cluster.get('/api/v1/nodes'));
  // One that a person set has no time.
  const own = items.flatMap(({ metadata, spec }) => {
    const notice = noticeIn(spec.taints.filter((taint) => taint !== undefined));
    return notice?.since === undefined ? [] : [[metadata.name, notice.kind] as const];
  });
  return { marked: new Map(own), drained: new Set() };
}

interface Task {
  readonly node: string;
  readonly notice: SaidNotice;
  readonly done: Done;
  readonly keeping: NoticeKeeping;
}

/** One node that cannot be changed stops no other. */
async function actOn(cluster: ActingApi, { node, notice, done, keeping }: Task): Promise<void> {
  const { say, changed } = keeping;
  try {
    const kind = notice.kind === 'none' ? undefined : notice.kind;
    if (done.marked.get(node) !== kind) {
      await markNode(cluster, node, kind, new Date());
      if (kind === undefined) done.marked.delete(node);
      else done.marked.set(node, kind);
      done.drained.delete(node);
      say(`${node}: ${kind === undefined ? 'the notice is over' : noticeMeaning[kind].words}`);
      changed();
    }
    if (notice.kind !== 'none' && noticeMeaning[notice.kind].drain) await drain(cluster, node, notice, { done, say });
  } catch (error) {
    say(`${node}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function drain(
  cluster: ActingApi,
  node: string,
  notice: Notice,
  { done, say }: { readonly done: Done; readonly say: NoticeKeeping['say'] },
): Promise<void> {
  if (done.drained.has(node)) return;
  const { evicted, left } = await evictPods(cluster, node, notice, new Date());
  if (evicted > 0) say(`${node}: ${evicted} of ${left} pods leave`);
  if (left > 0) return;
  done.drained.add(node);
  say(`${node}: its pods have left`);
}
