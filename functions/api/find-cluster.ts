/** Finding the cluster that a path means: by its name in the manifest, or by its id. */
import type { ClusterRecord } from '#contracts/records.ts';
import { clusterName } from '../pipeline/clusters/cluster-records.ts';

export function findCluster(clusters: readonly ClusterRecord[], wanted: string): ClusterRecord | undefined {
  return (
    clusters.find((record) => clusterName(record) === wanted) ?? clusters.find(({ cluster }) => cluster === wanted)
  );
}
