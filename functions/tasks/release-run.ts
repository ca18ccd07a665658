/** Release Run: frees the lease of an ended run, ends its record, and decides whether it is started again. */
import { EndedRunInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { releaseRun } from '../pipeline/runs/ended-run.ts';

export const handler = taskHandler(
  EndedRunInput,
  [
    'events.append',
    'manifests.releaseLease',
    'manifests.replace',
    'runs.list',
    'runs.put',
    'workflows.fault',
    'workflows.startReconcile',
    'workflows.status',
  ],
  releaseRun,
);
