/** The next waypoint of a cluster, stored and ready to start; or the reason why nothing is started. */
import type { PlanClusterInput, PlanClusterOutput } from '#contracts/state-inputs.ts';
import type { FreePort, Using } from '../../ports.ts';
import { beginCheck, isCheck, wantsCheck } from '../drift/drift-check.ts';
import { wantsMidwayCheck } from '../drift/midway-check.ts';
import { planCluster } from '../plans/cluster-plans.ts';
import { demandLeft } from '../plans/demand-left.ts';
import { planningOf } from '../plans/planning.ts';
import { isCancelled } from '../records/cancellation.ts';
import { changed, keyOf, newCluster } from '../records/cluster-records.ts';
import { isTakenBack } from '../records/demand-records.ts';
import { knownFacts } from '../records/known-facts.ts';
import { refuseNextToBuilds } from '../runs/left-builds.ts';
import { nothingToDo, runnersOfRun } from '../stages/stage-requests.ts';
import { storeStart } from '../stages/stored-start.ts';
import { describePath, planEvents, plannedPath } from './plan-events.ts';
import { cancelledRecord, reachedRecord, refusedOf } from './plan-outcomes.ts';
import { isWaiting, startWaypoint } from './waypoint-start.ts';

/** What it calls of the ports. */
export const waypointUses = [
  'artifacts.getText',
  'artifacts.putText',
  'clusters.get',
  'clusters.put',
  'clusters.remove',
  'demands.get',
  'demands.put',
  'demands.remove',
  'events.append',
  'manifests.get',
  'runs.get',
] as const;

/** Undefined: what it was planned with has changed since, nothing was started, plan again. Throws `BuildStillRuns`. */
export async function nextWaypoint(
  { run, stopped }: PlanClusterInput,
  deps: Using<(typeof waypointUses)[number] | FreePort>,
  mayPutBack: boolean,
): Promise<PlanClusterOutput | undefined> {
  const key = keyOf(run);
  const now = deps.clock.now().toISOString();
  const [manifest, stored, runRecord] = await Promise.all([
    deps.manifests.get(key),
    deps.clusters.get(key, run.cluster),
    deps.runs.get(key, run.runId),
  ]);
  const runners = runnersOfRun(runRecord, deps.config);
  const record = stored ?? newCluster(key, run.cluster);
  // A newer generation is planned by Plan Manifest, with a run of its own.
  if (manifest?.generation !== run.generation) return nothingToDo('none');
  refuseNextToBuilds(record, run, stopped);
  if (isWaiting(run, record, now) && !isCancelled(manifest, run)) return nothingToDo('wait');
  if (isCheck(manifest, run) && manifest.stateEdit !== undefined)
    return (await import('./edit-waypoint.ts')).nextEdit(deps, { run, manifest, record, runners, now });
  if (wantsCheck(manifest, run, record)) return beginCheck(deps, { run, manifest, record, runners });
  const left = await demandLeft(deps, { run, manifest, record, now });
  const check = isCheck(manifest, run) ? await import('../drift/maintenance-plans.ts') : undefined;
  const demand = check ? check.maintenanceDemand(manifest, record, left) : left;
  const planning = planningOf(deps, manifest, demand ? [demand] : []);
  const plan = check ? check.planMaintenance(manifest, record, demand) : planCluster(planning, manifest, record);
  const refused = refusedOf(run, manifest, { record, demand, refusals: plan.refusals, now });
  if (refused) {
    await deps.clusters.put(refused);
    return nothingToDo('refused');
  }
  const [waypoint] = plan.waypoints;
  if (!waypoint) {
    if (record.current === null) {
      await deps.demands.remove(key, run.cluster);
      await (stored && deps.clusters.remove({ ...stored, fence: run.fence }));
    } else {
      const unreached = check?.unreachedRecord(run, manifest, { record, planning });
      await deps.clusters.put(unreached ?? reachedRecord(run, manifest, record, now));
    }
    return nothingToDo('none');
  }
  if (isCancelled(manifest, run)) {
    await deps.clusters.put(cancelledRecord(run, record, now));
    return nothingToDo('refused');
  }
  // A waypoint that pauses after a failure is still the one in progress.
  if (manifest.paused && record.status !== 'BackingOff') return nothingToDo('none');
  if (!check && wantsMidwayCheck(manifest, run, record, now))
    return beginCheck(deps, { run, manifest, record, runners });
  const facts = await knownFacts(deps, record);
  const { KUBELOOM_MAX_BACK_OFFS: mostBackOffs } = deps.config;
  const about = { run, manifest, record, waypoint, path: plan.waypoints, facts, demand };
  const start = startWaypoint({ ...about, runners, mostBackOffs, now });
  const described = describePath(plan.waypoints, start.record);
  await storeStart(deps, start, plannedPath(described, plan.waypoints, start.record));
  if (mayPutBack && demand && (await isTakenBack(deps, demand))) {
    await deps.clusters.put(changed({ ...record, version: start.record.version }, run, {}));
    return undefined;
  }
  await deps.events.append(key, planEvents(run, described, { before: record, after: start.record, now }));
  return start.output;
}
