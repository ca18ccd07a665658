/** The scheduler's tick: one query finds the manifests that are due; each is prolonged, finished, started or checked for drift. */
import { z } from 'zod';
import type { ManifestHead } from '#contracts/records.ts';
import { taskHandler } from '../middleware.ts';
import type { DueAction, DuePorts } from '../pipeline/schedule/due-manifest.ts';
import { findUnchecked } from '../pipeline/schedule/missing-checks.ts';
import { watchQuietRollOuts } from '../pipeline/schedule/quiet-roll-outs.ts';
import { measureTick } from '../pipeline/schedule/tick-measures.ts';

/** Read in one tick; a thousand manifests that are checked every 6 hours are some 14 a tick. */
const atMost = 100;

const uses = [
  'artifacts.getText',
  'artifacts.putText',
  'builds.running',
  'builds.stop',
  'clusters.list',
  'events.append',
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
  deps: DuePorts,
): Promise<readonly PromiseSettledResult<DueAction>[]> {
  const { handleDue, inTurn } = await import('../pipeline/schedule/due-manifest.ts');
  return Promise.allSettled(inTurn(due).map((record) => handleDue(record, deps)));
}
