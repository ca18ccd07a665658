/** What is stored of a manifest names the proxy that it uses. */
import { unwrittenProxy } from '../installation-proxy.ts';
import type { InputManifest } from './schema/input-manifest.ts';

/** The manifest with the endpoint of each cluster that may use one. What is stored has it, so that a later default changes nothing. */
export function withProxy(manifest: InputManifest, ofInstallation = ''): InputManifest {
  const clusters = manifest.spec.kubernetes.clusters.map((cluster) => {
    const { mode, endpoint = unwrittenProxy(manifest, mode, ofInstallation), noProxy } = cluster.installationProxy;
    // In the order of the schema: stored documents are compared as texts.
    return endpoint === undefined ? cluster : { ...cluster, installationProxy: { mode, endpoint, noProxy } };
  });
  return { ...manifest, spec: { ...manifest.spec, kubernetes: { clusters } } };
}
