/** Proposed plans: listed, shown as they would be carried out now, and approved. */
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { type StoredPlan, storedPlanKeys } from '#contracts/stored-plans.ts';
import { readObjects } from '#documents/read-objects.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { carryOutPlanes } from '../pipeline/inventory/proposed-planes.ts';
import { versionText } from '../pipeline/plans/plan-id.ts';
import { replaceableManifest, storedManifest } from '../pipeline/records/stored-manifest.ts';
import { readPlan, writePlan } from '../pipeline/submission/stored-plans.ts';
import { submitDeletion } from '../pipeline/submission/submit-deletion.ts';
import { submitDocument } from '../pipeline/submission/submit-document.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { checkPreconditions, submittedResponse } from './http/manifest-version.ts';
import { unlessSeen } from './http/not-modified.ts';
import { planReport } from './plan-manifest.ts';

/** Those of the last weeks; objects below `plans/` expire. */
export const listPlans = handle(operations.listPlans, async ({ path, headers }, deps) => {
  const stored = await deps.manifests.get(path).catch(unlessUnreadable);
  const version = stored === undefined ? null : versionText(stored);
  const found = await deps.artifacts.list(storedPlanKeys.of(path));
  const plans = await Promise.all(
    found.map(({ key }) => readPlan(deps, path, key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, ''))),
  );
  const items = plans.flatMap((plan) => (plan?.proposal === undefined ? [] : [rowOf(plan, plan.proposal, version)]));
  return unlessSeen(headers, { items: items.sort((one, other) => (one.at < other.at ? 1 : -1)) });
});

/** Planned again: what moved since is seen, and its id is another one then. */
export const getPlan = handle(operations.getPlan, async ({ path, caller }, deps) => {
  const { plan } = await proposalOf(deps, path, path.plan);
  const stored = await replaceableManifest(deps, path);
  const { kind, document, orphans, planes: accompanying = [], withoutPlanes = [] } = plan.proposal;
  const goal = kind === 'delete' ? { deleting: true as const, orphans } : { document, accompanying, withoutPlanes };
  return { json: await planReport(deps, path, { stored, goal, caller }) };
});

/** Against what is stored now; of a deletion, all of it is removed. */
export const diffPlan = handle(operations.diffPlan, async ({ path }, deps) => {
  const { plan } = await proposalOf(deps, path, path.plan);
  const stored = await replaceableManifest(deps, path);
  const { kind, document } = plan.proposal;
  // Few requests need it, and what compares lines is large.
  const { documentPatch } = await import('#documents/document-patch.ts');
  const proposed = kind === 'delete' ? undefined : (validateAsManifest(document, { readObjects }).document ?? document);
  const name = `${path.namespace}/${path.name}`;
  const before = { title: stored ? `${name} (generation ${stored.generation})` : name, document: stored?.document };
  // Of what is created or deleted as a whole there is nothing to say in words.
  const changes = stored && proposed !== undefined ? documentChanges(stored.document, proposed) : [];
  return {
    json: { changes: [...changes], diff: documentPatch(before, { title: `${name} (proposed)`, document: proposed }) },
  };
});

/** The proposal is carried out under the rights of who approves it, bound to its plan. */
export const approveManifest = handle(operations.approveManifest, async ({ path, body, headers, caller }, deps) => {
  const { plan } = await proposalOf(deps, path, body.plan);
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
          ...{ document, stored, caller, terms, reason: why, accompanying: planes, withoutPlanes },
          ...(rolledBackTo !== undefined && { rolledBackTo }),
        });
  await carryOutPlanes(deps, path.namespace, plan.proposal, caller);
  const approved = { at: deps.clock.now().toISOString(), by: caller.name, runId: submitted.record.runId };
  await writePlan(deps, path, { ...plan, approved });
  await deps.waitingPlans.remove({ ...path, id: plan.id });
  return submittedResponse(submitted);
});

type Proposed = StoredPlan & Required<Pick<StoredPlan, 'proposal'>>;

/** Throws `NotFound`. */
async function proposalOf(
  deps: Pick<ApiPorts, 'artifacts' | 'clock'>,
  key: ManifestKey,
  id: string,
): Promise<{ readonly plan: Proposed }> {
  const plan = await readPlan(deps, key, id);
  if (plan?.proposal) return { plan: { ...plan, proposal: plan.proposal } };
  const name = `manifest "${key.namespace}/${key.name}"`;
  throw new PipelineError('NotFound', `no plan ${id} of ${name} was proposed; list its plans to see them`);
}

function rowOf({ id, at, by, basis, approved }: StoredPlan, proposal: Proposed['proposal'], version: string | null) {
  const { reason, summary } = proposal;
  const waits = basis.manifest === version ? ('Proposed' as const) : ('Outdated' as const);
  const state = approved ? ('Approved' as const) : waits;
  return { id, at, by, reason, summary, state, ...(approved && { approved }) };
}

function unlessUnreadable(error: unknown): undefined {
  if (!isPipelineError(error, 'Unreadable')) throw error;
}
