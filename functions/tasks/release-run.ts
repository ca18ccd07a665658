/** Release Run: frees the lease of an ended run, ends its record, and decides whether it is started again. */
import { EndedRunInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { releaseRun } from '../pipeline/runs/ended-run.ts';

const uses = [
  'events.append',
  'manifests.releaseLease',
  'manifests.replace',
  'runs.list',
  'runs.put',
  'workflows.fault',
  'workflows.statusOfRun',
] as const;

export const handler = taskHandler(EndedRunInput, uses, releaseRun);
