/** GET …/runs/{run}: one run and how each cluster came out of it. */
import { RunPath } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedRun } from './stored-run.ts';

export const handler = httpHandler({ access: viewer, path: RunPath }, async ({ path }, deps) => ({
  status: 200,
  json: await storedRun(deps, path),
}));
