/** The scheduler's tick: one query finds the manifests that are due; each is prolonged, finished, started or checked for drift. */
import { z } from 'zod';
import type { ManifestHead } from '#contracts/records.ts';
import { taskHandler } from '../middleware.ts';
import type { DueAction, DuePorts } from '../pipeline/schedule/due-manifest.ts';
import { findUnchecked } from '../pipeline/schedule/missing-checks.ts';
import { watchQuietRollOuts } from '../pipeline/schedule/quiet-roll-outs.ts';
import { measureTick } from '../pipeline/schedule/tick-measures.ts';
import type { Using } from '../ports.ts';

/** Read in one tick: leases of all that may be at work, and as many that are to be started. Ten thousand manifests that are checked every 6 hours are 139. */
const atMost = 400;
/** At once. */
const handled = 50;

const uses = [
  'artifacts.getText',
  'artifacts.putText',
  'builds.running',
  'builds.stop',
  'clusters.list',
  'events.append',
  'manifests.atWork',
  'manifests.due',
  'manifests.get',
  'manifests.listHeads',
  'manifests.releaseLease',
  'manifests.renewLease',
  'manifests.replace',
  'manifests.requestCancel',
  'rollOuts.get',
  'rollOuts.put',
  'rollOuts.quiet',
  'runs.get',
  'runs.list',
  'runs.put',
  'templateReferences.get',
  'workflows.fault',
  'workflows.startReconcile',
  'workflows.startRollOut',
  'workflows.status',
  'workflows.statusOfRun',
] as const;

export const handler = taskHandler(z.unknown(), uses, async (_event, deps) => {
  const faults: unknown[] = [];
  const due = await deps.manifests.due(deps.clock.now().toISOString(), atMost, (fault) => faults.push(fault));
  const measures = await measureTick(due, deps);
  const outcomes = due.length === 0 ? [] : await handleAll(due, deps);
  for (const outcome of outcomes) if (outcome.status === 'rejected') faults.push(outcome.reason);
  const broughtIn = await findUnchecked(deps).catch((fault: unknown) => {
    faults.push(fault);
    return 0;
  });
  const rollOuts = await watchQuietRollOuts(deps).catch((fault: unknown) => {
    faults.push(fault);
    return 0;
  });
  // A failure of one does not affect the others.
  if (faults.length > 0) throw faults[0];
  return {
    due: due.length,
    measures,
    care: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    ...(broughtIn > 0 && { broughtIn }),
    ...(rollOuts > 0 && { rollOuts }),
  };
});

/** Loads what they need, the planner among it: most ticks find nothing due. */
async function handleAll(
  due: readonly ManifestHead[],
  deps: DuePorts & Using<'manifests.atWork'>,
): Promise<readonly PromiseSettledResult<DueAction>[]> {
  const { handleDue, inTurn, leastStarts, mostAtWork } = await import('../pipeline/schedule/due-manifest.ts');
  const isFew = due.length <= leastStarts;
  const turn = inTurn(due, isFew ? 0 : await deps.manifests.atWork(deps.clock.now().toISOString(), mostAtWork));
  const outcomes: PromiseSettledResult<DueAction>[] = [];
  for (let from = 0; from < turn.length; from += handled)
    outcomes.push(...(await Promise.allSettled(turn.slice(from, from + handled).map((head) => handleDue(head, deps)))));
  return outcomes;
}
