/** Start Next Attempt: an interrupted or waiting generation gets a run of its own. */
import { StartNextAttemptInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { startNextAttempt } from '../pipeline/manifests/next-attempt.ts';

const uses = ['manifests.get', 'manifests.replace', 'runs.put', 'workflows.startReconcile'] as const;

export const handler = taskHandler(StartNextAttemptInput, uses, async (input, deps) => ({
  started: await startNextAttempt(input, deps),
}));
