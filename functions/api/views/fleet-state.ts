/** In which state of the fleet a manifest is: what a person would want to know of it first. */
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import type { FleetState } from '#contracts/fleet.ts';

export function fleetStateOf({
  status,
  clusters,
  paused,
  proposed,
}: Pick<ManifestSummary, 'status' | 'clusters' | 'paused' | 'proposed'>): FleetState {
  if (status === 'Failed' || status === 'Unreadable' || proposed) return 'attention';
  // What ends does so also while no one looks.
  if (clusters.some(({ ends }) => ends !== undefined)) return 'attention';
  if (paused) return 'paused';
  if (status !== 'Done') return 'running';
  const troubled = clusters.some(
    (cluster) =>
      cluster.status === 'NeedsAttention' || cluster.status === 'RolledBack' || cluster.status === 'Degraded',
  );
  if (troubled) return 'attention';
  return clusters.some(({ drift = 0 }) => drift > 0) ? 'drifted' : 'as-desired';
}
