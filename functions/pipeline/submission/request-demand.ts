/** Sizes and replacements are stored as the demand of clusters, and the next attempt of the generation is started. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { type Demand, openDemand, sameDemand } from '#domain/demand.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { Using } from '../../ports.ts';
import { planClusters } from '../assessment/plan-clusters.ts';
import { costOfPlan } from '../assessment/plan-cost.ts';
import { startAnotherAttempt } from '../manifests/next-attempt.ts';
import { boundsOf, planCluster } from '../plans/cluster-plans.ts';
import { planningOf } from '../plans/planning.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { changeDemand, demandOf } from '../records/demand-records.ts';
import { type RefusableVerb, refuseVerb } from '../records/refuse-verb.ts';
import type { Submitted } from './submit-document.ts';

/** What is asked of clusters of a manifest. */
export interface DemandRequest {
  readonly stored: ManifestRecord;
  readonly document: InputManifest;
  readonly caller: AdmittedCaller;
  readonly changes: readonly { readonly record: ClusterRecord; readonly change: (demand: Demand) => Demand }[];
  /** For people. */
  readonly what: string;
  readonly verb: RefusableVerb;
  /** The same request starts a failed run again, and automatic retries are counted from 0. @default true */
  readonly byPerson?: boolean;
  readonly kind: 'ScaleRequested' | 'ReplacementRequested';
  /** What speaks against it once it is stored: a run at work was faster. */
  readonly lateFaults?: () => Promise<readonly WireFault[]>;
}

type DemandPorts = Parameters<typeof changeDemand>[0] &
  Parameters<typeof startAnotherAttempt>[0] &
  Parameters<typeof recordManifestChange>[0] &
  Using<'clusters.list' | 'demands.list' | 'config'>;

/** Stores it and starts the next attempt, unless it is all there or asked for already. */
export async function requestDemand(deps: DemandPorts, request: DemandRequest): Promise<Submitted> {
  const { stored, document, caller, changes, what, verb, kind, byPerson = true } = request;
  const bounds = boundsOf(document);
  const asking = changes.map(async ({ record, change }) => {
    const { current, attempted } = record;
    const about = { current, attempted, bounds };
    const before = openDemand(demandOf(await deps.demands.get(stored, record.cluster)), about);
    return { record, change, before, after: openDemand(change(before), about) };
  });
  const asked = await Promise.all(asking);
  if (asked.every(({ before, after }) => sameDemand(before, after) && !(byPerson && stored.status === 'Failed'))) {
    // That a size failed is forgotten all the same.
    for (const { record, before, after } of asked)
      await changeDemand(deps, idOf(record), (demand) => withoutFailures(demand, before, after));
    return { record: stored, unchanged: true };
  }
  const faults = asked.flatMap(({ record, before, after }) => planFaults(deps, stored, record, { before, after }));
  if (faults.length > 0) refuseVerb({ manifest: stored }, verb, faults);
  for (const { record, change } of asked) await changeDemand(deps, idOf(record), change);
  const late = (await request.lateFaults?.()) ?? [];
  if (late.length > 0) refuseVerb({ manifest: stored }, verb, late);
  const costOf = (manifest: ManifestRecord) => costWithDemand(deps, manifest);
  const next = await startAnotherAttempt(deps, stored, { reason: what, byPerson, costOf });
  await recordManifestChange(deps, next, what, caller, kind);
  return { record: next, unchanged: false };
}

/** What all machines cost when everything is reached that is requested. Undefined when another cluster cannot be read: that stops no request. */
async function costWithDemand(
  deps: Using<'clusters.list' | 'demands.list' | 'ids' | 'config'>,
  manifest: ManifestRecord,
): Promise<AcceptedCost | undefined> {
  try {
    const [clusters, demands] = await Promise.all([deps.clusters.list(manifest), deps.demands.list(manifest)]);
    const plans = planClusters(deps, manifest, { clusters, demands });
    return costWhen('after', costOfPlan(clusters, plans).costOfMonth);
  } catch (error) {
    if (isPipelineError(error, 'Unreadable')) return undefined;
    throw error;
  }
}

const idOf = ({ namespace, manifest: name, cluster }: ClusterRecord) => ({ key: { namespace, name }, cluster });

function withoutFailures(demand: Demand, before: Demand, after: Demand): Demand {
  const gone = Object.keys(before.failures).filter((pool) => after.failures[pool] === undefined);
  const failures = Object.entries(demand.failures).filter(([pool]) => !gone.includes(pool));
  return { ...demand, failures: Object.fromEntries(failures) };
}

/** What the planner refuses for the demand, and not without. */
function planFaults(
  deps: Using<'ids' | 'config'>,
  stored: ManifestRecord,
  record: ClusterRecord,
  { before, after }: { readonly before: Demand; readonly after: Demand },
): readonly WireFault[] {
  const refusals = (demand: Demand) => {
    const planning = { ...planningOf(deps, stored), demands: { [record.cluster]: demand } };
    return planCluster(planning, stored, record).refusals;
  };
  const known = new Set(refusals(before).map(({ reason }) => reason));
  return refusals(after).flatMap(({ path, reason, fix }) => (known.has(reason) ? [] : [{ path, reason, fix }]));
}
