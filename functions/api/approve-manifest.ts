/** A proposed plan is approved. Apart from those that show plans: it needs no planner of reports. */
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { ofManifests, proposalOf } from '../pipeline/proposals/kept-plans.ts';
import { approve } from './carry-out.ts';
import { handle } from './http/handle.ts';
import { checkPreconditions, submittedResponse } from './http/manifest-version.ts';

export const approveManifest = handle(operations.approveManifest, async ({ path, body, headers, caller }, deps) => {
  const plan = await proposalOf(deps, path, body.plan, ofManifests);
  if (plan.approved) {
    const { at, by, runId } = plan.approved;
    throw new PipelineError('VerbRefused', `plan ${plan.id} was approved by ${by} at ${at} already: run ${runId}`);
  }
  const check = checkPreconditions.bind(undefined, headers, path);
  return submittedResponse(await approve(deps, path, plan, { caller, check }));
});
