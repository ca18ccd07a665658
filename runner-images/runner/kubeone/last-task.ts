/**
 * The end of KubeOne while nodes are left out. Its last task waits until each Node of Kubernetes is ready, five minutes ten times, before it
 * narrows permissions of files; a node that is dead and still a member never is. All that a join needs is done before it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterState } from '#domain/cluster-state.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import { membersOf } from '../kubernetes/members.ts';
import type { Command, CommandResult } from '../process.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

/** A line of its log; what machines print has its ends of lines escaped. */
const beginning =
  /^time="[\d:]{8} [A-Z]{3,4}" level=info msg="Fixing permissions of the kubernetes system files\.\.\."$/;

interface Attendance {
  readonly state: ClusterState;
  /** Names of nodes that it works without. */
  readonly absent: ReadonlySet<string>;
  /** @default 5 s */
  readonly everyMs?: number;
}

/** Runs it; with nodes left out it counts as done once it is at its last task and all others are ready. */
export async function runToLastTask(
  context: ContextOf<'kubeone'>,
  command: Command,
  { state, absent, everyMs = 5000 }: Attendance,
): Promise<CommandResult> {
  if (absent.size === 0) return context.run(command);
  const [enough, over] = [new AbortController(), new AbortController()];
  const names = membersOf(state).flatMap(({ node }) => (absent.has(node.name) ? [] : [node.name]));
  let waiting: Promise<void> | undefined;
  const onLine = (line: string): string => {
    if (beginning.test(line))
      waiting ??= untilReady(context, names, { everyMs, signal: over.signal }).then((ready) => {
        if (ready) enough.abort('all nodes that are not left out are ready');
      });
    return line;
  };
  try {
    const result = await context.run({ ...command, onLine, enough: enough.signal });
    return enough.signal.aborted ? { ...result, code: 0 } : result;
  } finally {
    over.abort();
    await waiting;
  }
}

/** True once Kubernetes reports all of them as ready; false when the wait is over before. An answer that fails is asked for again. */
async function untilReady(
  context: ContextOf<'kubeone'>,
  names: readonly string[],
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const kubeconfig = await keepKubeconfig(context);
      const nodes = kubeconfig === undefined ? new Map() : await new Kubectl(context, kubeconfig).nodes();
      if (names.every((name) => nodes.get(name)?.ready === 'True')) return !signal.aborted;
    } catch (error) {
      if (!(error instanceof StageFailure)) throw error;
      context.log.write('runner', `nodes cannot be read yet: ${error.message}`);
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
