/** Makes a deletion the next generation of a manifest: one without desired clusters, and its run. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ManifestKey, ManifestRecord, Orphans } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { planTotals, totalsText } from '#domain/planning/text/plan-totals.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { assessDeletion, type KnownDeletion, protectionFaults } from '../assessment/assess-deletion.ts';
import { startRun, storeNext } from '../manifests/next-generation.ts';
import { leftBehind, unknownNodes } from '../manifests/orphan-manifest.ts';
import { bindPlan, needsApproval, type PlanTerms } from '../proposals/bind-plan.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { makingNow } from '../records/next-record.ts';
import { cancelRun, runAtWork } from '../runs/cancel-run.ts';
import { approvedPlanText, type Submitted } from './submit-document.ts';

interface Deletion {
  readonly stored: ManifestRecord;
  readonly orphans: Orphans | undefined;
  readonly caller: AdmittedCaller;
  readonly terms: PlanTerms;
  /** @default deleted */
  readonly reason?: string;
}

/** Throws as `submitDocument`, and `Protected`. */
export async function submitDeletion(
  deps: SubmissionPorts,
  path: ManifestKey,
  { stored, orphans, caller, terms, reason = 'deleted' }: Deletion,
): Promise<Submitted> {
  const clusters = await deps.clusters.list(path);
  if (Array.isArray(orphans)) refuseUnknown(stored, unknownNodes(clusters, orphans));
  const known: KnownDeletion = {
    ...makingNow(deps),
    config: deps.config,
    stored,
    clusters,
    ...(orphans && { orphans }),
    origin: { by: caller.name, reason },
  };
  const assessed = assessDeletion(known);
  const { record: unbound, basis, plans, costOfMonth } = assessed;
  refuseProtected(path, protectionFaults(known, assessed));
  const plan = await bindPlan(deps, path, {
    basis,
    caller,
    terms,
    needsApproval: needsApproval(deps, path, stored),
    difference: costOfMonth?.difference,
    proposal: {
      kind: 'delete',
      document: null,
      reason,
      summary: deletionText(unbound, plans),
      ...(orphans && { orphans }),
    },
  });
  const record = { ...unbound, ...(plan && { plan }) };
  const left = record.orphans && (await leftBehind(deps, path, { clusters, orphans: record.orphans }));
  // The run in progress is no longer needed: its stage is stopped, what it created is recorded.
  const atWork = await runAtWork(deps, stored);
  await storeNext(deps, stored, record);
  if (stored.paused) await deps.manifests.setPaused(path, false);
  await recordManifestChange(deps, record, `${reason}${approvedPlanText(record)}`, caller);
  await startRun(deps, record, stored.deleting ? 'deleted again after a failed run' : 'deleted');
  if (atWork !== undefined) await cancelRun(deps, path, atWork);
  return { record, unchanged: false, ...(left && { left }) };
}

function deletionText({ orphans }: ManifestRecord, plans: readonly ClusterPlan[]): string {
  return orphans === 'all' ? 'everything is orphaned' : totalsText(planTotals(plans, orphans));
}

function refuseUnknown({ namespace, name }: ManifestRecord, unknown: readonly string[]): void {
  if (unknown.length === 0) return;
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  const nodes = `${unknown.slice(0, 5).join(', ')}${more}`;
  const message = `manifest "${namespace}/${name}" has no node ${nodes}; describe it to see their names`;
  throw new PipelineError('InvalidInput', message);
}

/** Throws `Protected` that names what protects it, and how to lift that. */
function refuseProtected({ namespace, name }: ManifestKey, faults: readonly WireFault[]): void {
  if (faults.length === 0) return;
  const reasons = faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`);
  throw new PipelineError('Protected', `manifest "${namespace}/${name}" cannot be deleted. ${reasons.join('. ')}`, {
    details: faults,
  });
}
