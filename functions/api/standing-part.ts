/** The part of a stored manifest that exists: what was wished for and never came to be may be changed freely. */
import type { ClusterRecord } from '#contracts/records.ts';
import { allPools } from '#domain/cluster-state.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';

/**
 * Leaves out pools, clusters and providers without any machine, and puts in the Kubernetes versions that run. So a
 * wrong server type or a failed upgrade can be corrected in place. Only true while no run is at work.
 */
export function standingPart(manifest: InputManifest, clusters: readonly ClusterRecord[]): InputManifest {
  const states = clusters.flatMap(({ current, attempted }) => [current, attempted].filter((state) => state !== null));
  const pools = new Set(states.flatMap((state) => allPools(state).map((pool) => pool.name)));
  const providers = new Set(
    states.flatMap(allPools).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : [])),
  );
  const versions = new Map(states.map((state) => [state.name, state.kubernetesVersion]));
  const { nodePools, kubernetes } = manifest.spec;
  return {
    ...manifest,
    spec: {
      ...manifest.spec,
      providers: manifest.spec.providers.filter(({ name }) => providers.has(name)),
      nodePools: {
        dynamic: nodePools.dynamic.filter(({ name }) => pools.has(name)),
        static: nodePools.static.filter(({ name }) => pools.has(name)),
      },
      kubernetes: {
        clusters: kubernetes.clusters.flatMap((cluster) => {
          const version = versions.get(cluster.name);
          return version === undefined ? [] : [{ ...cluster, version }];
        }),
      },
    },
  };
}
