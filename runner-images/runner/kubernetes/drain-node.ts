/** Drains a node. One whose pods may not leave yet is tried for some minutes, then the waypoint pauses for it; no container waits. */
import type { StageError } from '#contracts/stage.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { budgetsThatHold } from './disruption-budgets.ts';
import type { Kubectl } from './kubectl.ts';
import { kubectlError } from './kubectl-failure.ts';

export type NodeHeld = NonNullable<StageError['waitsFor']>[number];

const minute = 60_000;
/** Pods that cannot move must not block the removal of a node for ever. */
const drainMinutes = 30;
/** So long a container tries; the pauses between are for free. */
const tryMinutes = 3;

/** Returns what holds it, if there is time left. Running out of time is reported and is not an error; everything else is. */
export async function drainNode(context: StageContext, kubectl: Kubectl, name: string): Promise<NodeHeld | undefined> {
  const minutes = minutesToTry(context, name);
  const result = await kubectl.try(
    [
      'drain',
      name,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      // Pods without a controller would block a drain for ever, and are lost with the machine anyway.
      '--force',
      '--skip-wait-for-delete-timeout=60',
      `--timeout=${minutes.now}m`,
    ],
    { totalMs: (minutes.now + 2) * minute, quietMs: (minutes.now + 1) * minute },
  );
  if (result.code === 0) return undefined;
  if (/timed? ?out|timeout|deadline/i.test(result.stderr)) {
    if (minutes.left > minutes.now) return { node: name, because: await budgetsThatHold(kubectl, result.stderr) };
    context.emit({
      kind: 'DrainTimedOut',
      message: `${name} was not drained within ${drainMinutes} minutes; it is removed with what still runs on it`,
      node: name,
    });
    return undefined;
  }
  const answered = kubectlError('drain', result.stderr, name);
  throw new StageFailure({
    class: answered.code === 'KubernetesUnreachable' ? 'transient' : 'conflict',
    code: 'DrainFailed',
    message: result.stderr.trim().split('\n').slice(-5).join('\n') || `kubectl drain ended with ${result.code}`,
    resource: name,
    hint: 'Check which pods stay on the node and why; a PodDisruptionBudget may not allow their eviction.',
  });
}

/** A rollback does not pause. */
function minutesToTry({ document, mode, ports }: StageContext, name: string): { now: number; left: number } {
  if (mode === 'undo') return { now: drainMinutes, left: drainMinutes };
  const since = document.waitsSince?.[name];
  const passed = since === undefined ? 0 : (ports.clock.now().getTime() - Date.parse(since)) / minute;
  const left = Math.max(1, Math.ceil(drainMinutes - passed));
  return { now: Math.min(tryMinutes, left), left };
}

/** The waypoint pauses until they are not held any more, or their time is over. */
export function drainWaits(waitsFor: readonly NodeHeld[]): StageFailure {
  return new StageFailure({
    ...heldFailure(waitsFor),
    code: 'DrainWaits',
    hint: `Kubeloom tries again for ${drainMinutes} minutes, then removes the node with what still runs on it. Let the budget allow a disruption. After a cancel the next change continues the removal, even if it wants the node back, because half of it may be done.`,
  });
}

export function heldFailure(
  waitsFor: readonly NodeHeld[],
): Pick<StageError, 'class' | 'message' | 'resource' | 'retryable' | 'waitsFor'> {
  const message = waitsFor.map(({ node, because }) => `${node}: ${because}`).join('; ');
  const [{ node: resource = '' } = {}] = waitsFor;
  return { class: 'conflict', message: `${message}.`, resource, retryable: false, waitsFor: [...waitsFor] };
}
