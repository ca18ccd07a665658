/** GET …/runs/{run}: one run and how each cluster came out of it. */
import { RunPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: viewer, path: RunPath }, async ({ path }, deps) => {
  const run = await deps.runs.get(path, path.run);
  if (run) return { status: 200, json: run };
  throw new PipelineError('NotFound', `manifest "${path.name}" has no run "${path.run}"; list its runs to see them`);
});
