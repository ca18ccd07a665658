/** GET …/providers/{provider}/checks/{check}: how far a check of credentials is, and what it found. */
import { CheckPath } from '#contracts/http-parameters.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { readProviderCheck } from '../pipeline/jobs/provider-checks.ts';

export const handler = httpHandler({ access: viewer, path: CheckPath }, async ({ path }, deps) => {
  const { check, ...instance } = path;
  return { status: 200, json: await readProviderCheck(deps, instance, check) };
});
