/** POST …/plan: what a document, the stored one, a deletion or a rollback would lead to; changes nothing. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { PlanQuery } from '#contracts/http-parameters.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, DemandRecord, ManifestKey, ManifestRecord, Orphans } from '#contracts/records.ts';
import { differText } from '#domain/assess-drift.ts';
import { PipelineError } from '#domain/errors.ts';
import { intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { noTotals, planTotals } from '#domain/planning/text/plan-totals.ts';
import { priceOfChecks } from '#domain/price-of-checks.ts';
import type { AdmittedCaller } from '../caller.ts';
import type { HttpRequest } from '../http.ts';
import { assess } from '../pipeline/assessment/assess.ts';
import { assessDeletion } from '../pipeline/assessment/assess-deletion.ts';
import type { KnownExisting } from '../pipeline/assessment/known.ts';
import { driftChecksOf } from '../pipeline/drift/drift-policy.ts';
import { orphansIn } from '../pipeline/manifests/orphan-manifest.ts';
import { rollbackGoal } from '../pipeline/manifests/rollback-goal.ts';
import { plannedWaypoint } from '../pipeline/plans/planned-waypoint.ts';
import { needsApproval } from '../pipeline/proposals/bind-plan.ts';
import { keepPlan, refuseIfMoved } from '../pipeline/proposals/kept-plans.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { makingNow } from '../pipeline/records/next-record.ts';
import { manifestOf } from '../pipeline/records/stored-document.ts';
import { replaceableManifest, storedManifest } from '../pipeline/records/stored-manifest.ts';
import { gather, type SubmissionQuestion } from '../pipeline/submission/gather.ts';
import { beyondBudgets, budgetsOfPlans } from '../pipeline/submission/plan-budgets.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { manifestTag } from './http/manifest-version.ts';
import { requestDocumentAmong } from './http/request-document.ts';
import { openDemandOf } from './views/cluster-description.ts';

export const planManifest = handle(operations.planManifest, async (request, deps) => {
  const { path: key, query } = request;
  const given = request.body.length > 0;
  if (given && (query.delete || query.rollback !== undefined)) {
    throw new PipelineError('InvalidInput', 'a deletion and a rollback are planned without a document; leave out one');
  }
  const stored = given ? await replaceableManifest(deps, key) : await storedManifest(deps, key);
  const asked = await goalOf(deps, stored, request);
  return { json: await planReport(deps, key, { stored, caller: request.caller, wanted: query.plan, ...asked }) };
});

/** What is planned: a deletion, or a document with those that are to be stored with it. */
export type Goal =
  | { readonly deleting: true; readonly orphans: Orphans | undefined }
  | {
      readonly document: unknown;
      readonly accompanying: readonly unknown[];
      /** @default none */
      readonly withoutPlanes?: readonly string[];
    };

interface PlanQuestion {
  readonly stored: ManifestRecord | undefined;
  readonly goal: Goal;
  readonly caller: AdmittedCaller;
  /** It has to be one of these plans. @default any */
  readonly wanted?: readonly string[] | undefined;
  readonly rollbackTo?: number;
}

/** Throws `PlanMoved`. */
export async function planReport(
  deps: ApiPorts,
  key: ManifestKey,
  { stored, goal, caller, wanted, rollbackTo }: PlanQuestion,
): Promise<PlanReport> {
  const { basis, desired, existing, costOfMonth, ...planned } =
    'deleting' in goal && stored
      ? await planDeletion(deps, stored, goal.orphans)
      : await planDocument(deps, key, { document: null, ...goal, stored, caller });
  if (basis) await refuseIfMoved(deps, key, { basis }, wanted);
  const refused = planned.faults.length > 0 || planned.clusters.some(({ refusals }) => refusals.length > 0);
  const cost = refused ? undefined : costOfMonth;
  const budgets = refused ? [] : await budgetsOfPlans(deps, key.namespace, [{ name: key.name, cost }]);
  const { clusters, demands } = existing;
  return {
    namespace: key.namespace,
    name: key.name,
    id: basis && !refused ? await keepPlan(deps, key, basis, caller.name) : null,
    needsApproval: needsApproval(deps, key, stored, desired) || beyondBudgets(budgets) !== undefined,
    hasWork: planned.clusters.some((plan) => plan.waypoints.length > 0),
    ...planned,
    paths: planned.clusters.map((plan) => pathInWords(plan, clusters)),
    ...(rollbackTo !== undefined && { rollbackTo }),
    etag: stored ? manifestTag(stored) : null,
    drift: stored ? driftRows(clusters) : [],
    demand: demandRows(clusters, demands),
    ...(desired && !desired.deleting && healthChecksOf(desired)),
    ...(cost && { costOfMonth: cost }),
    budgets,
  };
}

function pathInWords(plan: ClusterPlan, clusters: readonly ClusterRecord[]): PlanReport['paths'][number] {
  const current = clusters.find((record) => clusterName(record) === plan.cluster)?.current ?? null;
  const { summary, waypoints } = describeClusterPlan(plan, current);
  const directions = plan.waypoints.map(({ direction }) => direction);
  const inWords = waypoints.map((waypoint, index) => plannedWaypoint(waypoint, directions[index] ?? 'settle'));
  return { cluster: plan.cluster, summary, waypoints: inWords };
}

async function goalOf(
  deps: ApiPorts,
  stored: ManifestRecord | undefined,
  request: HttpRequest<ManifestKey, PlanQuery>,
): Promise<{ readonly goal: Goal; readonly rollbackTo?: number }> {
  const { query } = request;
  const given = request.body.length > 0;
  const deletes = query.delete !== undefined || (!given && query.rollback === undefined && stored?.deleting === true);
  if (deletes && stored) return { goal: { deleting: true, orphans: orphansIn(query.orphan) } };
  const { rollbackTo, ...goal } = await documentOf(deps, stored, request);
  return { goal, ...(rollbackTo !== undefined && { rollbackTo }) };
}

interface Planned extends Pick<PlanReport, 'faults' | 'warnings' | 'clusters' | 'totals' | 'costOfMonth'> {
  readonly basis: PlanBasis | undefined;
  readonly desired: ManifestRecord | undefined;
  readonly existing: Pick<KnownExisting, 'clusters' | 'demands'>;
}

async function planDeletion(
  deps: Pick<ApiPorts, 'ids' | 'clock' | 'config' | 'clusters'>,
  stored: ManifestRecord,
  orphans: Orphans | undefined,
): Promise<Planned> {
  const clusters = await deps.clusters.list(stored);
  const known = { ...makingNow(deps), config: deps.config, stored, clusters, ...(orphans && { orphans }) };
  const { record: desired, plans, ...assessed } = assessDeletion(known);
  const made = { ...assessed, faults: [], warnings: [], desired, existing: { clusters, demands: [] } };
  if (desired.orphans === 'all') return { ...made, clusters: [], totals: noTotals };
  return { ...made, clusters: [...plans], totals: planTotals(plans, desired.orphans) };
}

async function planDocument(deps: ApiPorts, key: ManifestKey, question: SubmissionQuestion): Promise<Planned> {
  const known = await gather(deps, key, question);
  const { faults, warnings, plans, next, costOfMonth } = assess(known);
  return {
    faults: [...faults],
    warnings: [...warnings],
    clusters: [...plans],
    totals: planTotals(plans),
    ...(costOfMonth && { costOfMonth }),
    basis: next?.basis,
    desired: next?.record,
    // What exists is shown, whatever is wrong with the document.
    existing: known.existing ?? {
      clusters: await deps.clusters.list(key),
      demands: await deps.demands.list(key),
    },
  };
}

async function documentOf(
  deps: ApiPorts,
  stored: ManifestRecord | undefined,
  request: HttpRequest<ManifestKey, PlanQuery>,
): Promise<{ readonly document: unknown; readonly accompanying: readonly unknown[]; readonly rollbackTo?: number }> {
  const { rollback } = request.query;
  if (request.body.length > 0 || stored === undefined) return requestDocumentAmong(request, deps);
  if (rollback === undefined) return { document: stored.document, accompanying: [] };
  const { generation, document } = await rollbackGoal(deps, stored, rollback === 'last' ? undefined : rollback);
  return { document, accompanying: [], rollbackTo: generation };
}

function healthChecksOf(desired: ManifestRecord): Pick<PlanReport, 'healthChecks'> {
  const { dynamic, static: statics } = manifestOf(desired).spec.nodePools;
  const machines =
    dynamic.reduce((sum, { health, count = 0 }) => sum + (health ? count : 0), 0) +
    statics.reduce((sum, { health, nodes }) => sum + (health ? nodes.length : 0), 0);
  if (machines === 0) return {};
  const { interval } = driftChecksOf(desired);
  const minutes = intervalMinutes(interval);
  const dollarsOfMonth = minutes === undefined ? { container: 0, lambda: 0 } : priceOfChecks(minutes);
  return { healthChecks: { interval, machines, dollarsOfMonth } };
}

function demandRows(clusters: readonly ClusterRecord[], demands: readonly DemandRecord[]): PlanReport['demand'] {
  return clusters.flatMap((record) => {
    const found = demands.find(({ cluster }) => cluster === record.cluster);
    const demand = found && openDemandOf({ ...found, failures: {} });
    return demand ? [{ ...demand, cluster: clusterName(record) }] : [];
  });
}

function driftRows(clusters: readonly ClusterRecord[]): PlanReport['drift'] {
  return clusters.flatMap((record) => {
    const { drift } = record;
    if (drift === undefined || drift.items.length === 0) return [];
    const { checkedAt, items } = drift;
    return [{ cluster: clusterName(record), checkedAt, differs: differText(items.length), items }];
  });
}
