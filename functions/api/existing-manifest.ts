/** The part of a stored manifest that exists: what was wished for and never came to be may be changed freely. */
import type { ClusterRecord } from '#contracts/records.ts';
import { allPools } from '#domain/cluster-state.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';

/**
 * Leaves out pools, clusters and providers of which nothing exists, and puts in the Kubernetes versions and networks
 * that stand. So a wrong server type or a failed upgrade can be corrected in place. Only true while no run is at work.
 */
export function existingManifest(manifest: InputManifest, clusters: readonly ClusterRecord[]): InputManifest {
  const states = clusters.flatMap(({ current, attempted }) => [current, attempted].filter((state) => state !== null));
  const pools = new Set(states.flatMap((state) => allPools(state).map((pool) => pool.name)));
  const providers = new Set(
    states.flatMap((state) => [
      ...allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : [])),
      ...state.loadBalancers.map(({ dns }) => dns.provider.name),
    ]),
  );
  const existing = new Map(states.map((state) => [state.name, state]));
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
          const state = existing.get(cluster.name);
          return state ? [{ ...cluster, version: state.kubernetesVersion, network: state.network }] : [];
        }),
      },
    },
  };
}
