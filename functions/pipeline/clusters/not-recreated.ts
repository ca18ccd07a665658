/** Which machines a waypoint does not recreate if they are gone: that is decided by healing, within its bounds. */
import type { ManifestRecord } from '#contracts/records.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { Demand } from '#domain/demand.ts';
import type { Waypoint } from '#domain/plan.ts';
import { driftChecksOf } from '../drift/drift-policy.ts';
import { repairPolicies } from '../drift/repair-policies.ts';
import { manifestOf } from '../records/stored-document.ts';

/**
 * Names of nodes of pools whose unhealthy nodes are replaced or recreated automatically, and of nodes that are being replaced. Not of control
 * nodes: KubeOne needs all that it is given, and would remove the others from etcd. None on the way to an upgrade, which needs every node.
 */
export function nodesNotRecreated(
  manifest: ManifestRecord,
  current: ClusterState | null,
  { demand: { replace }, path }: { readonly demand: Pick<Demand, 'replace'>; readonly path: readonly Waypoint[] },
): readonly string[] {
  if (current === null || manifest.deleting || path.some(({ direction }) => direction === 'upgrade')) return [];
  const { onDrift, interval } = driftChecksOf(manifest);
  // Without checks no one would recreate them.
  const policies = interval === 'off' ? {} : repairPolicies(manifestOf(manifest), onDrift);
  const leaving = new Set(replace.map(({ node }) => node));
  const heals = (pool: string): boolean => (policies[pool]?.onUnhealthy ?? 'report') !== 'report';
  return allNodes(current).flatMap(({ node: { name }, pool }) => {
    if (pool.role === 'control' || pool.source.kind === 'static') return [];
    return heals(pool.name) || leaving.has(name) ? [name] : [];
  });
}
