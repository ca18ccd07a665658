/** A proposed plan is approved, rejected or withdrawn. Apart from those that show plans: it needs no planner of reports. */
import { operations } from '#contracts/operations/operations.ts';
import { rejectProposal } from '../pipeline/proposals/close-proposal.ts';
import { inventoryPlanKey, ofManifests, proposalOf } from '../pipeline/proposals/kept-plans.ts';
import { approve } from './carry-out.ts';
import { handle } from './http/handle.ts';
import { checkPreconditions, submittedResponse } from './http/manifest-version.ts';
import { proposedRow } from './views/waiting-plans.ts';

/** The proposal is carried out under the rights of who approves it, bound to its plan. */
export const approveManifest = handle(operations.approveManifest, async ({ path, body, headers, caller }, deps) => {
  const plan = await proposalOf(deps, path, body.plan, ofManifests);
  const check = checkPreconditions.bind(undefined, headers, path);
  return submittedResponse(await approve(deps, path, plan, { caller, check }));
});

export const rejectPlan = handle(operations.rejectPlan, async ({ path, body, caller }, deps) => {
  const plan = await proposalOf(deps, path, path.plan, ofManifests);
  return { json: proposedRow(await rejectProposal(deps, path, plan, { caller, reason: body?.reason })) };
});

export const rejectInventoryPlan = handle(operations.rejectInventoryPlan, async ({ path, body, caller }, deps) => {
  const key = inventoryPlanKey(path.namespace);
  const plan = await proposalOf(deps, key, path.plan, ['rollOut']);
  return { json: proposedRow(await rejectProposal(deps, key, plan, { caller, reason: body?.reason })) };
});
