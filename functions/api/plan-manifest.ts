/** POST …/plan: what a document, the stored one, a deletion or a rollback would lead to; changes nothing. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { PlanQuery } from '#contracts/http-parameters.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, DemandRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { differText } from '#domain/assess-drift.ts';
import { PipelineError } from '#domain/errors.ts';
import { noTotals, planTotals } from '#domain/planning/text/plan-totals.ts';
import type { HttpRequest } from '../http.ts';
import { clusterName } from '../pipeline/clusters/cluster-records.ts';
import { nextRecord } from '../pipeline/manifests/next-generation.ts';
import { replaceableManifest, storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { planningOf } from '../pipeline/manifests/template-versions.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { orphansIn } from './delete-manifest.ts';
import { handle } from './handle.ts';
import { assessManifest, planClusters } from './judge-manifest.ts';
import { manifestTag } from './manifest-version.ts';
import { requestDocumentAmong } from './request-document.ts';
import { rollbackGoal } from './verbs.ts';
import { openDemandOf } from './views/cluster-description.ts';

export const planManifest = handle(operations.planManifest, async (request, deps) => {
  const { path: key, query } = request;
  const given = request.body.length > 0;
  if (given && (query.delete || query.rollback !== undefined)) {
    throw new PipelineError('InvalidInput', 'a deletion and a rollback are planned without a document; leave out one');
  }
  const stored = given ? await replaceableManifest(deps, key) : await storedManifest(deps, key);
  const clusters = await deps.clusters.list(key);
  const deletes = query.delete !== undefined || (!given && query.rollback === undefined && stored?.deleting === true);
  const planned =
    deletes && stored
      ? planDeletion(deps, stored, clusters, query.orphan)
      : await planDocument(deps, key, stored, request);
  const json = {
    ...{ namespace: key.namespace, name: key.name },
    hasWork: planned.clusters.some((plan) => plan.waypoints.length > 0),
    ...planned,
    etag: stored ? manifestTag(stored) : null,
    drift: given && !stored ? [] : driftRows(clusters),
    demand: deletes ? [] : demandRows(clusters, await deps.demands.list(key)),
  };
  return { json };
});

type Planned = Pick<PlanReport, 'faults' | 'warnings' | 'clusters' | 'totals' | 'rollbackTo'>;

/** A document that can no longer be read prevents neither the deletion nor its plan. */
function planDeletion(
  deps: Pick<ApiPorts, 'ids' | 'clock' | 'config'>,
  stored: ManifestRecord,
  clusters: readonly ClusterRecord[],
  orphan: string | undefined,
): Planned {
  const orphans = orphansIn(orphan) ?? stored.orphans;
  if (orphans === 'all') return { faults: [], warnings: [], clusters: [], totals: noTotals };
  const desired = { document: stored.document, deleting: true, again: false };
  const record = nextRecord(deps, stored, stored, desired);
  const plans = planClusters(planningOf(deps, record), record, clusters);
  return { faults: [], warnings: [], clusters: [...plans], totals: planTotals(plans, orphans) };
}

async function planDocument(
  deps: ApiPorts,
  key: ManifestKey,
  stored: ManifestRecord | undefined,
  request: HttpRequest<ManifestKey, PlanQuery>,
): Promise<Planned> {
  const { document, accompanying, rollbackTo } = await documentOf(deps, stored, request);
  const question = { document, stored, accompanying, caller: request.caller };
  const { faults, warnings, plans } = await assessManifest(deps, key, question);
  return {
    ...{ faults: [...faults], warnings: [...warnings], clusters: [...plans] },
    totals: planTotals(plans),
    ...(rollbackTo !== undefined && { rollbackTo }),
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

function demandRows(clusters: readonly ClusterRecord[], demands: readonly DemandRecord[]): PlanReport['demand'] {
  return clusters.flatMap((record) => {
    const found = demands.find(({ cluster }) => cluster === record.cluster);
    const demand = found && openDemandOf({ ...found, failures: {} });
    return demand ? [{ ...demand, cluster: clusterName(record) }] : [];
  });
}

export function driftRows(clusters: readonly ClusterRecord[]): PlanReport['drift'] {
  return clusters.flatMap((record) => {
    const { drift } = record;
    if (drift === undefined || drift.items.length === 0) return [];
    const { checkedAt, items } = drift;
    return [{ cluster: clusterName(record), checkedAt, differs: differText(items.length), items }];
  });
}
