/** The scheduler's other tick: one query finds the GitSources that are due, and each takes its next step. */
import { z } from 'zod';
import { taskHandler } from '../middleware.ts';
import { submissionUses } from '../rights/submission-uses.ts';

/** Steps of one tick; the others are due at the next one. */
const atMost = 20;

const uses = [...submissionUses, 'gitSources.due'] as const;

export const handler = taskHandler(z.unknown(), uses, async (_event, deps) => {
  const due = await deps.gitSources.due(deps.clock.now().toISOString(), atMost);
  if (due.length === 0) return { due: 0, steps: [] };
  // Most ticks have nothing to do, and load none of it.
  const { advanceSource } = await import('../pipeline/sources/advance-source.ts');
  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (const source of due) outcomes.push(...(await Promise.allSettled([advanceSource(deps, source)])));
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  // A failure of one does not affect the others.
  if (faults.length > 0) throw faults[0];
  return {
    due: due.length,
    steps: outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
  };
});
