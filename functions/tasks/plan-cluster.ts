/**
 * Plan Cluster: from what really exists to the next waypoint; only that one is stored, the rest is planned again. Throws
 * `BuildStillRuns` where a build may be left at work.
 */
import { PlanClusterInput, type PlanClusterOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { nextWaypoint, waypointUses } from '../pipeline/clusters/next-waypoint.ts';

/** Plans that are put back because a replacement was taken back meanwhile; more would keep the cluster waiting. */
const mostPlans = 5;

export const handler = taskHandler(PlanClusterInput, waypointUses, async (input, deps): Promise<PlanClusterOutput> => {
  for (let plans = 1; ; plans++) {
    const output = await nextWaypoint(input, deps, plans < mostPlans);
    if (output !== undefined) return output;
  }
});
