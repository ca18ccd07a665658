/** Makes a document the next generation of a manifest: validates it as a whole, stores it, starts its run. */
import type { LeftBehind, WireFault } from '#contracts/api-bodies.ts';
import type { ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { refuseFaults } from '#documents/wire-faults.ts';
import { kindOf } from '#domain/documents/validate-documents.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { planTotals, totalsText } from '#domain/planning/text/plan-totals.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import { isRaised } from '#domain/prices/compare-budgets.ts';
import { sameValue } from '#domain/same-value.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { startRun, storeNext } from '../manifests/next-generation.ts';
import { bindPlan, needsApproval, type PlanTerms } from '../proposals/bind-plan.ts';
import { refuseIfMoved } from '../proposals/kept-plans.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { type Assessment, assessManifest } from './assess-manifest.ts';
import { beyondBudgets, type CountedPlans } from './plan-budgets.ts';
import { withinBudgets } from './within-budgets.ts';

export interface Submission {
  readonly document: unknown;
  readonly stored: ManifestRecord | undefined;
  readonly caller: AdmittedCaller;
  /** Why its run is started. @default that it was created, changed or applied again */
  readonly reason?: string;
  /** Another request that was faster may have stored the same: then that is fine. @default it is a conflict */
  readonly sameIsFine?: boolean;
  /** The generation that the document is of, when it is a rollback. */
  readonly rolledBackTo?: number;
  /** @default whatever the plan is then */
  readonly terms?: PlanTerms;
  /** Documents that are stored with it. @default none */
  readonly accompanying?: readonly unknown[];
  /** Names of stored ManagementPlanes that are deleted with it. @default none */
  readonly withoutPlanes?: readonly string[];
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
 * Throws `InvalidManifest` with every fault, `VersionConflict` when another request was faster, `PlanMoved` when it is not the
 * plan that was asked for, and `ApprovalRequired` when that is only kept.
 */
export async function submitDocument(
  deps: SubmissionPorts,
  key: ManifestKey,
  submission: Submission,
): Promise<Submitted> {
  const { document, stored, caller, reason, rolledBackTo, sameIsFine = false, terms = {} } = submission;
  const { accompanying = [], withoutPlanes = [] } = submission;
  const assessment = await assessManifest(deps, key, { document, stored, caller, accompanying, withoutPlanes });
  const { record: assessed, same = false, basis, faults, refusals } = assessment;
  refuseFaults('manifest', key, [...faults, ...refusals]);
  const warnings = [...assessment.warnings];
  if (!assessed || !basis) throw new PipelineError('InternalFault', 'a document without faults has no record');
  const otherPlanes = !sameValue(stored?.planes ?? {}, assessed.planes ?? {});
  const unchanged = stored && same && !otherPlanes && !needsRun(stored, assessment);
  if (unchanged) {
    await refuseIfMoved(deps, key, { basis }, terms.wanted);
    return { record: stored, unchanged: true, warnings };
  }
  const why = reason ?? reasonOf(stored, same);
  const origin = { by: caller.name, reason: why, ...(rolledBackTo !== undefined && { rolledBackTo }) };
  const summary = totalsText(planTotals(assessment.plans));
  const { plan: _before, ...unbound } = assessed;
  const acceptedCost = costWhen('after', assessment.costOfMonth);
  const costing = { ...unbound, acceptedCost };
  // Nothing else: a Secret is never kept in a plan.
  const planes = accompanying.filter((one) => kindOf(one) === 'ManagementPlane');
  const proposal = {
    kind: 'apply' as const,
    document,
    reason: why,
    summary,
    ...(rolledBackTo !== undefined && { rolledBackTo }),
    ...(planes.length > 0 && { planes }),
    ...(withoutPlanes.length > 0 && { withoutPlanes: [...withoutPlanes] }),
  };
  const plans = [{ name: key.name, cost: assessment.costOfMonth }];
  const accept = async ({ budgets, shares }: CountedPlans): Promise<ManifestRecord> => {
    const plan = await bindPlan(deps, key, {
      basis,
      caller,
      terms,
      needsApproval: needsApproval(deps, key, stored, assessed),
      beyond: beyondBudgets(budgets),
      difference: assessment.costOfMonth?.difference,
      proposal,
    });
    const bound = { ...costing, ...(plan && { plan }) };
    const record = same ? bound : { ...bound, origin: { at: bound.updatedAt, ...origin } };
    const counts = isCountedOn(stored, budgets) && terms.approvedBy === undefined;
    await storeNext(
      deps,
      stored,
      record,
      counts ? (accepted) => deps.budgets.acceptManifest(shares, accepted) : undefined,
    );
    return record;
  };
  let record: ManifestRecord;
  try {
    record = await withinBudgets(deps, key.namespace, plans, accept);
  } catch (error) {
    const now = sameIsFine && isPipelineError(error, 'VersionConflict') ? await deps.manifests.get(key) : undefined;
    if (now && !now.deleting && now.checksum === assessed.checksum) {
      return { record: now, unchanged: true, warnings };
    }
    throw error;
  }
  await recordManifestChange(
    deps,
    record,
    `generation ${record.generation}: ${why}${approvedPlanText(record)}`,
    caller,
  );
  await startRun(deps, record, why);
  return { record, unchanged: false, warnings };
}

/** Whether it relies on what is left of a budget; while a run is in progress, what others count of it may become less at any moment. */
function isCountedOn(stored: ManifestRecord | undefined, budgets: CountedPlans['budgets']): boolean {
  const hasEnded = stored?.status === 'Done' || stored?.status === 'Failed';
  return budgets.length > 0 && (isRaised(budgets) || !hasEnded);
}

/** For the event: which plan, and whether the caller approved it. */
export function approvedPlanText({ plan }: Pick<ManifestRecord, 'plan'>): string {
  if (plan === undefined) return '';
  return `, plan ${plan.id}${plan.approvedBy === undefined ? '' : ', approved'}`;
}

/** The same document has to be done again when it failed, or when templates that it names have changed since. */
function needsRun({ status, failed }: ManifestRecord, { plans }: Assessment): boolean {
  return (
    status === 'Failed' ||
    failed !== undefined ||
    (status === 'Done' && plans.some(({ waypoints }) => waypoints.length > 0))
  );
}

function reasonOf(stored: ManifestRecord | undefined, same: boolean): string {
  if (stored === undefined) return 'created';
  if (!same) return 'changed';
  const failed = stored.status === 'Failed' || stored.failed !== undefined;
  return failed ? 'applied again after a failed run' : 'applied again after its templates changed';
}
