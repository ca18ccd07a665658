/**
 * The scheduler's other tick, which may submit: GitSources that are due take their next step, templates of manifests are compared with their
 * references, what waits for a person is reported again, and clouds are asked what they sell.
 */
import { z } from 'zod';
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import type { ManifestHead } from '#contracts/records.ts';
import { taskHandler } from '../middleware.ts';
import type { SourceStep } from '../pipeline/sources/advance-source.ts';
import type { TemplatesStep } from '../pipeline/templates/due-templates.ts';
import { type SubmissionPorts, submissionUses } from '../rights/submission-uses.ts';

/** Steps of one tick; the others are due at the next one. */
const atMost = 20;

/** Manifests that are read to find those whose templates are to be compared, and that are compared at once. */
const mostDue = 400;
const together = 10;

const uses = [...submissionUses, 'gitSources.due', 'manifests.due', 'manifests.head', 'rollOuts.halted'] as const;

export const handler = taskHandler(z.unknown(), uses, async (_event, deps) => {
  const now = deps.clock.now();
  const faults: unknown[] = [];
  const due = await deps.gitSources.due(now.toISOString(), atMost);
  const manifests = await deps.manifests.due(now.toISOString(), mostDue, (fault) => faults.push(fault));
  const asked = manifests.filter(({ templatesAsked }) => templatesAsked !== undefined);
  // Most ticks have nothing to do, and load none of it.
  const steps = due.length === 0 ? [] : await advanceAll(due, deps);
  const templates = asked.length === 0 ? [] : await compareAll(asked, deps);
  for (const outcome of [...steps, ...templates]) if (outcome.status === 'rejected') faults.push(outcome.reason);
  const { rareLooks } = await import('../pipeline/schedule/rare-looks.ts');
  const looks = await rareLooks(deps, (fault) => faults.push(fault));
  // A failure of one does not affect the others.
  if (faults.length > 0) throw faults[0];
  return {
    due: due.length,
    steps: steps.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ...looks,
    ...(templates.length > 0 && {
      templates: templates.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    }),
  };
});

async function advanceAll(due: readonly GitSourceRecord[], deps: SubmissionPorts) {
  const { advanceSource } = await import('../pipeline/sources/advance-source.ts');
  const outcomes: PromiseSettledResult<SourceStep>[] = [];
  for (const source of due) outcomes.push(...(await Promise.allSettled([advanceSource(deps, source)])));
  return outcomes;
}

async function compareAll(asked: readonly ManifestHead[], deps: SubmissionPorts) {
  const { compareTemplates } = await import('../pipeline/templates/due-templates.ts');
  const outcomes: PromiseSettledResult<TemplatesStep>[] = [];
  for (let from = 0; from < asked.length; from += together) {
    const some = asked.slice(from, from + together);
    outcomes.push(...(await Promise.allSettled(some.map((head) => compareTemplates(deps, head)))));
  }
  return outcomes;
}
