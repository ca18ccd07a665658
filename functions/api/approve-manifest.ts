/** A proposed plan is approved. Apart from those that show plans: it needs no planner of reports. */
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { carryOutPlanes } from '../pipeline/inventory/proposed-planes.ts';
import { replaceableManifest, storedManifest } from '../pipeline/records/stored-manifest.ts';
import { proposalOf } from '../pipeline/submission/proposal-of.ts';
import { writePlan } from '../pipeline/submission/stored-plans.ts';
import { submitDeletion } from '../pipeline/submission/submit-deletion.ts';
import { submitDocument } from '../pipeline/submission/submit-document.ts';
import { handle } from './http/handle.ts';
import { checkPreconditions, submittedResponse } from './http/manifest-version.ts';

/** The proposal is carried out under the rights of who approves it, bound to its plan. */
export const approveManifest = handle(operations.approveManifest, async ({ path, body, headers, caller }, deps) => {
  const plan = await proposalOf(deps, path, body.plan);
  const { kind, document, orphans, rolledBackTo, reason, planes = [], withoutPlanes = [] } = plan.proposal;
  if (plan.approved) {
    const { at, by, runId } = plan.approved;
    throw new PipelineError('VerbRefused', `plan ${plan.id} was approved by ${by} at ${at} already: run ${runId}`);
  }
  const stored = kind === 'delete' ? await storedManifest(deps, path) : await replaceableManifest(deps, path);
  checkPreconditions(headers, path, stored);
  const terms = { wanted: [plan.id], approvedBy: caller.name };
  const why = `${reason}, proposed by ${plan.by}`;
  const submitted =
    stored && kind === 'delete'
      ? await submitDeletion(deps, path, { stored, orphans, caller, terms, reason: why })
      : await submitDocument(deps, path, {
          document,
          stored,
          caller,
          terms,
          reason: why,
          accompanying: planes,
          withoutPlanes,
          ...(rolledBackTo !== undefined && { rolledBackTo }),
        });
  await carryOutPlanes(deps, path.namespace, plan.proposal, caller);
  const approved = { at: deps.clock.now().toISOString(), by: caller.name, runId: submitted.record.runId };
  await writePlan(deps, path, { ...plan, approved });
  await deps.waitingPlans.remove({ ...path, id: plan.id });
  return submittedResponse(submitted);
});
