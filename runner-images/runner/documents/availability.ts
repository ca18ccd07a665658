/** Whether what documents start works, as Kubernetes reports it. */
import { setTimeout as pause } from 'node:timers/promises';
import { type KubernetesObject, nameOfObject, objectText } from '#domain/kubernetes-objects.ts';
import { hasStatus, isAvailable } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { stageCancelled } from '../stage-failure.ts';
import { getObjects } from './objects.ts';

export interface AvailabilityWait {
  /** For all documents together: images are pulled first. The stage must end within the 13 minutes of a Lambda. @default 10 minutes */
  readonly totalMs?: number;
  /** @default 3 s */
  readonly pauseMs?: number;
}

/** Texts (`objectText`) of those objects that exist and do not work. */
export async function notAvailable(kubectl: Kubectl, objects: readonly KubernetesObject[]): Promise<readonly string[]> {
  const watched = objects.filter(hasStatus).map((object) => ({ namespace: 'default', ...nameOfObject(object) }));
  const live = await getObjects(kubectl, watched);
  return live.filter((object) => !isAvailable(object)).map((object) => objectText(nameOfObject(object)));
}

/** The first of them, and how many more there are. */
export function shownObjects(texts: readonly string[]): string {
  const more = texts.length > 5 ? ` and ${texts.length - 5} more` : '';
  return `${texts.slice(0, 5).join(', ')}${more}`;
}

/** The time is shared between groups, so that what never works takes none from the others; a share starts when it is first asked for. */
export function sharedDeadlines<Group>(
  groups: Iterable<Group>,
  totalMs: number,
  now: () => number = () => performance.now(),
): (group: Group) => number {
  const share = totalMs / Math.max(1, new Set(groups).size);
  const deadlines = new Map<Group, number>();
  return (group) => {
    const deadline = deadlines.get(group) ?? now() + share;
    deadlines.set(group, deadline);
    return deadline;
  };
}

/** What does not work when the wait ends: nothing, unless it took too long. `deadline`: of `performance.now()`. */
export async function untilAvailable(
  { log, signal }: StageContext,
  kubectl: Kubectl,
  objects: readonly KubernetesObject[],
  { deadline, pauseMs }: { readonly deadline: number; readonly pauseMs: number },
): Promise<readonly string[]> {
  for (;;) {
    const waitedFor = await notAvailable(kubectl, objects);
    if (waitedFor.length === 0 || performance.now() > deadline) return waitedFor;
    log.write('runner', `waiting for ${waitedFor.join(', ')}`);
    await pause(pauseMs, undefined, { signal }).catch(() => {
      throw stageCancelled(signal);
    });
  }
}
