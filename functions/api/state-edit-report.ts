/** What a proposed edit of a Terraform state would do now, as other plans are shown. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { noTotals } from '#domain/planning/text/plan-totals.ts';
import { stateEditWaypoint } from '#domain/planning/work/state-edit.ts';
import { planIdOf } from '../pipeline/plans/plan-id.ts';
import { plannedWaypoint } from '../pipeline/plans/planned-waypoint.ts';
import type { ProposedPlan } from '../pipeline/proposals/kept-plans.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { editBasis, proposedEdit } from '../pipeline/state-edits/submit-edit.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { manifestTag } from './http/manifest-version.ts';

/** Its id differs when anything that it is based on has changed. */
export async function editReport(deps: ApiPorts, key: ManifestKey, plan: ProposedPlan<'edit'>): Promise<PlanReport> {
  const stored = await storedManifest(deps, key);
  const { record, edit } = await proposedEdit(deps, key, plan);
  const cluster = clusterName(record);
  const waypoint = stateEditWaypoint(record.current ?? record.attempted, { ...edit, by: plan.by }, '');
  const clusterPlan = { cluster, waypoints: [waypoint], refusals: [] };
  const { summary, waypoints } = describeClusterPlan(clusterPlan, waypoint.target);
  return {
    namespace: key.namespace,
    name: key.name,
    id: planIdOf(await editBasis(deps, key, { stored, record, edit })),
    needsApproval: true,
    hasWork: true,
    faults: [],
    warnings: [],
    clusters: [clusterPlan],
    paths: [{ cluster, summary, waypoints: waypoints.map((one) => plannedWaypoint(one, waypoint.direction)) }],
    totals: noTotals,
    budgets: [],
    etag: manifestTag(stored),
    drift: [],
    demand: [],
  };
}
