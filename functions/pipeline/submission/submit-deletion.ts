/** Makes a deletion the next generation of a manifest: one without desired clusters, and its run. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, ManifestKey, ManifestRecord, Orphans } from '#contracts/records.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { planTotals, totalsText } from '#domain/planning/text/plan-totals.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { costOfPlan } from '../assessment/plan-cost.ts';
import { startRun, storeNext } from '../manifests/next-generation.ts';
import { leftBehind, unknownNodes } from '../manifests/orphan-manifest.ts';
import { planBasisOf } from '../plans/plan-id.ts';
import { planningOf } from '../plans/planning.ts';
import { bindPlan, needsApproval, type PlanTerms } from '../proposals/bind-plan.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { makingNow, nextRecord } from '../records/next-record.ts';
import { readableManifest } from '../records/stored-document.ts';
import { cancelRun, runAtWork } from '../runs/cancel-run.ts';
import { planClusters, plansOnceReached, refusalsOf } from './assess-manifest.ts';
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
  const origin = { by: caller.name, reason };
  const goal = {
    document: stored.document,
    deleting: true,
    again: stored.deleting,
    origin,
    ...(orphans && { orphans }),
  };
  // A deletion does not wait: it ends the pause.
  const { paused, ...awake } = stored;
  const { plan: _before, ...unbound } = nextRecord(makingNow(deps), path, awake, goal);
  refuseProtected(deps, { stored, desired: unbound }, clusters);
  const basis = planBasisOf({ config: deps.config, stored, desired: unbound, clusters, demands: [] });
  const plans = planClusters(planningOf(deps, unbound), unbound, clusters);
  const plan = await bindPlan(deps, path, {
    basis,
    caller,
    terms,
    needsApproval: needsApproval(deps, path, stored),
    difference: costOfPlan(clusters, plans, unbound.orphans).costOfMonth?.difference,
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
  if (paused) await deps.manifests.setPaused(path, false);
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

/** Throws `Protected` that names what protects it, in the document or in the current state, and how to lift that. */
function refuseProtected(
  deps: Pick<SubmissionPorts, 'ids' | 'config'>,
  { stored, desired }: { readonly stored: ManifestRecord; readonly desired: ManifestRecord },
  clusters: readonly ClusterRecord[],
): void {
  const plans = planClusters(planningOf(deps, desired), desired, clusters);
  const later = plansOnceReached(deps, { stored, desired }, clusters);
  const faults = [...documentFaults(desired), ...refusalsOf(plans), ...refusalsOf(later, plans)];
  if (faults.length === 0) return;
  const reasons = faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`);
  const name = `${desired.namespace}/${desired.name}`;
  throw new PipelineError('Protected', `manifest "${name}" cannot be deleted. ${reasons.join('. ')}`, {
    details: faults,
  });
}

/** A document that can no longer be read does not prevent the deletion. */
function documentFaults(record: ManifestRecord): WireFault[] {
  if (!readableManifest(record)?.spec.deletionProtection) return [];
  const fix = 'set it to false and apply that first';
  return wireFaults([error(['spec', 'deletionProtection'], 'the manifest is protected', fix)]);
}
