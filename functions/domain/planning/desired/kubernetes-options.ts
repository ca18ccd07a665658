/** What a cluster of the manifest asks of Kubernetes, as its state has it: only what differs from the usual. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { KubernetesOptions } from '#domain/kubernetes-options.ts';
import type { KubernetesCluster } from '../../manifest/schema/input-manifest.ts';

export function kubernetesOptions(cluster: KubernetesCluster): Pick<ClusterState, 'kubernetesOptions'> {
  const { cni = 'cilium', nodeLocalDNS, metricsServer, configureRepositories, addons } = cluster;
  const registries = registriesOf(cluster);
  const options: KubernetesOptions = {
    ...(cni === 'cilium' ? {} : { cni }),
    ...(nodeLocalDNS === false ? { nodeLocalDNS } : {}),
    ...(metricsServer === false ? { metricsServer } : {}),
    ...(configureRepositories === false ? { configureRepositories } : {}),
    ...(registries === undefined ? {} : { registries }),
    ...(addons === undefined ? {} : { addons: addons.path }),
  };
  return Object.keys(options).length === 0 ? {} : { kubernetesOptions: options };
}

function registriesOf({ registries }: KubernetesCluster): KubernetesOptions['registries'] {
  if (registries === undefined) return undefined;
  const { overwrite, insecure, mirrors } = registries;
  if (overwrite === undefined && mirrors.length === 0) return undefined;
  return {
    ...(overwrite === undefined ? {} : { overwrite }),
    ...(insecure ? { insecure } : {}),
    mirrors: mirrors.map(({ registry, endpoints, skipTlsVerify }) => ({
      registry,
      endpoints,
      ...(skipTlsVerify ? { skipTlsVerify } : {}),
    })),
  };
}
