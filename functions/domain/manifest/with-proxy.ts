/** What is stored of a manifest names the proxy that it uses. */
import { unwrittenProxy } from '../installation-proxy.ts';
import { InputManifest } from './schema/input-manifest.ts';

/** The manifest with the endpoint of each cluster that may use one. What is stored has it, so that a later default changes nothing. */
export function withProxy(manifest: InputManifest, ofInstallation = ''): InputManifest {
  const clusters = manifest.spec.kubernetes.clusters.map((cluster) => {
    const { mode, endpoint = unwrittenProxy(manifest, mode, ofInstallation), noProxy } = cluster.installationProxy;
    // In the order of the schema: stored documents are compared as texts.
    return endpoint === undefined ? cluster : { ...cluster, installationProxy: { mode, endpoint, noProxy } };
  });
  return { ...manifest, spec: { ...manifest.spec, kubernetes: { clusters } } };
}

/** As it would be stored, as far as a caller can know who does not know the proxy of the installation: a cluster that is stored keeps its proxy. */
export function withProxyOf(manifest: InputManifest, stored: unknown): InputManifest {
  const before = InputManifest.safeParse(stored).data?.spec.kubernetes.clusters ?? [];
  const { spec } = manifest;
  const clusters = spec.kubernetes.clusters.flatMap((cluster) => {
    const own = before.find(({ name }) => name === cluster.name)?.installationProxy.endpoint;
    return withProxy({ ...manifest, spec: { ...spec, kubernetes: { clusters: [cluster] } } }, own).spec.kubernetes
      .clusters;
  });
  return { ...manifest, spec: { ...spec, kubernetes: { clusters } } };
}
