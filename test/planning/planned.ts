/** Plans between two manifests, and their texts. */
import type { ClusterPlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { type ManifestSpec, manifestOf } from './manifests.ts';

/** The plan from the state of one manifest to another manifest. */
export function planned(
  from: ManifestSpec,
  to: ManifestSpec,
  templates: Readonly<Record<string, string>> = {},
): ClusterPlan {
  const current = desiredOf({ manifest: manifestOf(from), ids: 'x' });
  const desired = desiredOf({ manifest: manifestOf(to), current, templates, ids: 'y' });
  return planClusterPath({ cluster: 'c', current, attempted: null, desired });
}

/** `direction: stage stage …` of each waypoint. */
export function pathText(plan: ClusterPlan): readonly string[] {
  return plan.waypoints.map(({ direction, stages }) =>
    [`${direction}:`, ...stages.map(({ stage }) => stage)].join(' '),
  );
}
