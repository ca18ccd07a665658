/** Through which proxy the nodes of a manifest download, if it does not say so. */
import type { InputManifest } from './manifest/schema/input-manifest.ts';

/** What Claudie uses if a manifest names none: a host of its makers, which sees and has to serve all downloads. */
export const claudieProxy = 'http://proxy.claudie.io:8880';

/** The manifest with the endpoint of each cluster that may use one. What is stored has it, so that a later default changes nothing. */
export function withProxy(manifest: InputManifest, ofInstallation = ''): InputManifest {
  const clusters = manifest.spec.kubernetes.clusters.map((cluster) => {
    const { mode, endpoint = unwrittenProxy(manifest, mode, ofInstallation), noProxy } = cluster.installationProxy;
    // In the order of the schema: stored documents are compared as texts.
    return endpoint === undefined ? cluster : { ...cluster, installationProxy: { mode, endpoint, noProxy } };
  });
  return { ...manifest, spec: { ...manifest.spec, kubernetes: { clusters } } };
}

/** The endpoint of a cluster that names none; undefined: it has none. */
export function unwrittenProxy(
  { apiVersion }: { readonly apiVersion: string },
  mode: 'on' | 'off' | 'default',
  ofInstallation: string,
): string | undefined {
  if (mode === 'off') return undefined;
  if (apiVersion === 'claudie.io/v1beta1') return ofInstallation || claudieProxy;
  return (mode === 'on' && ofInstallation) || undefined;
}

/** "http://proxy.claudie.io:8880, a host of Claudie's makers" */
export function proxyText(endpoint: string): string {
  return endpoint === claudieProxy ? `${endpoint}, a host of Claudie's makers` : endpoint;
}
