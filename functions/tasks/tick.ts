/** The scheduler's tick: one query finds the manifests that are due; each is prolonged, finished or started. */
import { z } from 'zod';
import { taskHandler } from '../middleware.ts';
import { lookAfter } from '../pipeline/overdue-manifest.ts';
import { measureTick } from '../pipeline/tick-measures.ts';

/** Looked after in one tick; the others are due at the next one. */
const atMost = 20;

export const handler = taskHandler(z.unknown(), async (_event, deps) => {
  const due = await deps.manifests.due(deps.clock.now().toISOString(), atMost);
  const measures = await measureTick(due, deps);
  const outcomes = await Promise.allSettled(due.map((record) => lookAfter(record, deps)));
  const [failed] = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return {
    due: due.length,
    measures,
    care: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  };
});
