/** Makes a document the next generation of a manifest: validates it as a whole, stores it, starts its run. */
import type { LeftBehind, WireFault } from '#contracts/api-bodies.ts';
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { refuseFaults } from '#documents/wire-faults.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { isRaised } from '#domain/prices/compare-budgets.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { assess } from '../assessment/assess.ts';
import { changeOf, type SubmittedDocument } from '../assessment/change-of.ts';
import { type Accept, startRun, storeNext } from '../manifests/next-generation.ts';
import { bindPlan, needsApproval, type PlanTerms } from '../proposals/bind-plan.ts';
import { refuseIfMoved } from '../proposals/kept-plans.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { gather } from './gather.ts';
import { beyondBudgets, type CountedPlans } from './plan-budgets.ts';
import { withinBudgets } from './within-budgets.ts';

export interface Submission extends SubmittedDocument {
  readonly caller: AdmittedCaller;
  /** Another request that was faster may have stored the same: then that is fine. @default it is a conflict */
  readonly sameIsFine?: boolean;
  /** @default whatever the plan is then */
  readonly terms?: PlanTerms;
}

/** What follows from a change of a manifest. */
export interface Submitted {
  /** As it is stored now. */
  readonly record: ManifestHead;
  /** The document was already in progress or done: nothing was started. */
  readonly unchanged: boolean;
  readonly warnings?: readonly WireFault[];
  /** What keeps running when the manifest is deleted. */
  readonly left?: readonly LeftBehind[];
}

/**
 * Throws `InvalidManifest` with every fault, also when another manifest took a name at the same moment, `VersionConflict` when another request was faster, `PlanMoved` when it is not the
 * plan that was asked for, and `ApprovalRequired` when that is only kept.
 */
export async function submitDocument(
  deps: SubmissionPorts,
  key: ManifestKey,
  submission: Submission,
): Promise<Submitted> {
  const { stored, caller, sameIsFine = false, terms = {} } = submission;
  const assessment = assess(await gather(deps, key, submission));
  const { next, faults, refusals, costOfMonth } = assessment;
  refuseFaults('manifest', key, [...faults, ...refusals]);
  if (next === undefined) throw new PipelineError('InternalFault', 'a document without faults has no record');
  const { basis } = next;
  const warnings = [...assessment.warnings];
  const change = changeOf(next, assessment, submission);
  if ('kept' in change) {
    await refuseIfMoved(deps, key, { basis }, terms.wanted);
    return { record: change.kept, unchanged: true, warnings };
  }
  const { reason, origin, proposal } = change;
  const plans = [{ name: key.name, cost: costOfMonth }];
  const accept = async ({ budgets, shares }: CountedPlans): Promise<ManifestRecord> => {
    const plan = await bindPlan(deps, key, {
      basis,
      caller,
      terms,
      needsApproval: needsApproval(deps, key, stored, change.record),
      beyond: beyondBudgets(budgets),
      difference: costOfMonth?.difference,
      proposal,
    });
    const record = { ...change.record, ...(plan && { plan }), ...(origin && { origin }) };
    const counts = isCountedOn(stored, budgets) && terms.approvedBy === undefined;
    const take: Accept = (accepted) => deps.budgets.acceptManifest(shares, accepted);
    await storeNext(deps, stored, record, counts ? take : undefined);
    return record;
  };
  let record: ManifestRecord;
  try {
    record = await withinBudgets(deps, key.namespace, plans, accept);
  } catch (error) {
    const now = sameIsFine && isPipelineError(error, 'VersionConflict') ? await deps.manifests.get(key) : undefined;
    if (now && !now.deleting && now.checksum === change.record.checksum) {
      return { record: now, unchanged: true, warnings };
    }
    if (isPipelineError(error, 'NameTaken')) {
      const { faults: taken } = assess(await gather(deps, key, submission));
      refuseFaults('manifest', key, taken);
    }
    throw error;
  }
  const message = `generation ${record.generation}: ${reason}${approvedPlanText(record)}`;
  await recordManifestChange(deps, record, message, caller);
  await startRun(deps, record, reason);
  return { record, unchanged: false, warnings };
}

/** Whether it relies on what is left of a budget; while a run is in progress, what others count of it may become less at any moment. */
function isCountedOn(stored: ManifestRecord | undefined, budgets: CountedPlans['budgets']): boolean {
  return budgets.length > 0 && (isRaised(budgets) || stored === undefined || !hasEnded(stored));
}

/** For the event: which plan, and whether the caller approved it. */
export function approvedPlanText({ plan }: Pick<ManifestRecord, 'plan'>): string {
  if (plan === undefined) return '';
  return `, plan ${plan.id}${plan.approvedBy === undefined ? '' : ', approved'}`;
}
