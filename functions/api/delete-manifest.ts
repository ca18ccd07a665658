/** DELETE /v1/manifests/{namespace}/{name}: a new generation without desired clusters, and its run. */
import type { LeftBehind, WireFault } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, ManifestKey, ManifestRecord, Orphans } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { error } from '#domain/manifest/fault.ts';
import { planTotals, totalsText } from '#domain/planning/text/plan-totals.ts';
import type { AdmittedCaller } from '../caller.ts';
import { nextRecord, startRun, storeNext } from '../pipeline/manifests/next-generation.ts';
import { leftBehind, unknownNodes } from '../pipeline/manifests/orphan-manifest.ts';
import { planBasisOf } from '../pipeline/plans/plan-id.ts';
import { planningOf } from '../pipeline/plans/planning.ts';
import { readableManifest } from '../pipeline/records/stored-document.ts';
import { storedManifest, storedOrRemains, wayOut } from '../pipeline/records/stored-manifest.ts';
import { cancelRun } from '../pipeline/runs/cancel-run.ts';
import { runAtWork } from '../pipeline/runs/run-at-work.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import type { SubmissionPorts } from '../rights/submission-uses.ts';
import { recordManifestChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { planClusters, plansOnceReached, refusalsOf } from './judge-manifest.ts';
import { acceptedResponse, checkPreconditions, unchangedResponse } from './manifest-version.ts';
import { wireFaults } from './request-document.ts';
import { bindPlan, needsApproval, type PlanTerms, wantedPlans } from './stored-plans.ts';
import { approvedPlanText } from './submit-document.ts';
import { remainsWithout } from './views/manifest-description.ts';

export const deleteManifest = handle(operations.deleteManifest, async (request, deps) => {
  const { path, query, headers } = request;
  const orphans = orphansIn(query.orphan);
  const remains = await undeletable(deps, path);
  if (remains) {
    checkPreconditions(headers, path, remains.record);
    refuseUnlessForgotten(remains, orphans);
    const left = await discardManifest(deps, path, remains.record);
    await recordManifestChange(deps, remains.record, 'forgotten: its stored record cannot be read', request.caller);
    return acceptedResponse(remains.record, { left });
  }
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  if (stored.deleting && stored.status !== 'Failed' && orphans === undefined) {
    return unchangedResponse(stored);
  }
  const { caller } = request;
  return submitDeletion(deps, path, { stored, orphans, caller, terms: { wanted: wantedPlans(headers) } });
});

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
): Promise<ReturnType<typeof acceptedResponse>> {
  const clusters = await deps.clusters.list(path);
  if (Array.isArray(orphans)) refuseUnknown(stored, unknownNodes(clusters, orphans));
  const origin = { by: caller.name, reason };
  const goal = {
    ...{ document: stored.document, deleting: true, again: stored.deleting, origin },
    ...(orphans && { orphans }),
  };
  // A deletion does not wait: it ends the pause.
  const { paused, ...awake } = stored;
  const { plan: _before, ...unbound } = nextRecord(deps, path, awake, goal);
  refuseProtected(deps, { stored, desired: unbound }, clusters);
  const basis = planBasisOf({ config: deps.config, stored, desired: unbound, clusters, demands: [] });
  const plan = await bindPlan(deps, path, {
    ...{ basis, by: caller.name, terms, needsApproval: needsApproval(deps, path, stored) },
    proposal: {
      ...{ kind: 'delete', document: null, reason, summary: deletionText(deps, unbound, clusters) },
      ...(orphans && { orphans }),
    },
  });
  const record = { ...unbound, ...(plan && { plan }) };
  const left = record.orphans && (await leftBehind(deps, path, { clusters, orphans: record.orphans }));
  // The run under way has become useless: its stage is stopped, what it created is recorded.
  const atWork = await runAtWork(deps, stored);
  await storeNext(deps, stored, record);
  if (paused) await deps.manifests.setPaused(path, false);
  await recordManifestChange(deps, record, `${reason}${approvedPlanText(record)}`, caller);
  await startRun(deps, record, stored.deleting ? 'deleted again after a failed run' : 'deleted');
  if (atWork !== undefined) await cancelRun(deps, path, atWork);
  return acceptedResponse(record, left && { left });
}

function deletionText(
  deps: Pick<ApiPorts, 'ids' | 'config'>,
  desired: ManifestRecord,
  clusters: readonly ClusterRecord[],
): string {
  if (desired.orphans === 'all') return 'everything is orphaned';
  return totalsText(planTotals(planClusters(planningOf(deps, desired), desired, clusters), desired.orphans));
}

/** `?orphan=` as it is stored; undefined when it is absent. */
export function orphansIn(text: string | undefined): Orphans | undefined {
  return text === undefined || text === 'all' ? text : [...new Set(text.split(','))];
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
  deps: Pick<ApiPorts, 'ids' | 'config'>,
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

type Ports = Pick<ApiPorts, 'manifests' | 'clusters'>;

/** What is left of a manifest that cannot be deleted by a run; undefined when a run can, or when there is none. */
async function undeletable(
  deps: Ports,
  key: ManifestKey,
): Promise<Awaited<ReturnType<ApiPorts['manifests']['remainsOf']>>> {
  const found = await storedOrRemains(deps, key);
  if (found === undefined || 'reason' in found) return found;
  try {
    await deps.clusters.list(key);
    return undefined;
  } catch (error) {
    return remainsWithout(found, error);
  }
}

/** Removes everything that is stored of it. Returns what is known of the resources that keep running. */
async function discardManifest(
  deps: Ports & Pick<ApiPorts, 'artifacts' | 'demands' | 'workflows'>,
  key: ManifestKey,
  { lease }: ManifestRecord,
): Promise<readonly LeftBehind[]> {
  // A run that is under way would write into what is forgotten.
  if (lease) await deps.workflows.stop(lease.owner, 'the manifest is forgotten');
  const left = await leftOf(deps, key);
  await deps.demands.discard(key);
  await deps.clusters.discard(key);
  await deps.manifests.discard(key);
  return left;
}

/** Throws `Unreadable` that says how to go on, for everything but forgetting it as a whole. */
function refuseUnlessForgotten(remains: Parameters<typeof wayOut>[0], orphans: unknown): void {
  if (orphans !== 'all') throw new PipelineError('Unreadable', wayOut(remains));
}

async function leftOf(
  deps: Pick<ApiPorts, 'clusters' | 'artifacts'>,
  key: ManifestKey,
): Promise<readonly LeftBehind[]> {
  try {
    return await leftBehind(deps, key, { clusters: await deps.clusters.list(key), orphans: 'all' });
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    const states = await deps.artifacts.list(`terraform/${key.namespace}/${key.name}/`);
    const terraformStates = states.map((state) => state.key);
    return [{ cluster: '(unreadable)', nodes: [], loadBalancers: [], terraformStates }];
  }
}
