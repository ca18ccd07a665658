/** Proposed plans: listed, and shown as they would be carried out now. */
import { operations } from '#contracts/operations/operations.ts';
import { type StoredPlan, storedPlanKeys } from '#contracts/stored-plans.ts';
import { isPipelineError } from '#domain/errors.ts';
import { versionText } from '../pipeline/plans/plan-id.ts';
import { replaceableManifest } from '../pipeline/records/stored-manifest.ts';
import { type ProposedPlan, proposalOf } from '../pipeline/submission/proposal-of.ts';
import { readPlan } from '../pipeline/submission/stored-plans.ts';
import { handle } from './http/handle.ts';
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

/** The proposal is planned again; if anything that it is based on changed, its id changes. */
export const getPlan = handle(operations.getPlan, async ({ path, caller }, deps) => {
  const plan = await proposalOf(deps, path, path.plan);
  const stored = await replaceableManifest(deps, path);
  const { kind, document, orphans, planes: accompanying = [], withoutPlanes = [] } = plan.proposal;
  const goal = kind === 'delete' ? { deleting: true as const, orphans } : { document, accompanying, withoutPlanes };
  return { json: await planReport(deps, path, { stored, goal, caller }) };
});

function rowOf(
  { id, at, by, basis, approved }: StoredPlan,
  proposal: ProposedPlan['proposal'],
  version: string | null,
) {
  const { reason, summary } = proposal;
  const waits = basis.manifest === version ? ('Proposed' as const) : ('Outdated' as const);
  const state = approved ? ('Approved' as const) : waits;
  return { id, at, by, reason, summary, state, ...(approved && { approved }) };
}

function unlessUnreadable(error: unknown): undefined {
  if (!isPipelineError(error, 'Unreadable')) throw error;
}
