/** Through which proxy the nodes of a manifest download, if it does not say so. */

/** What Claudie uses if a manifest names none: a host of its makers, which sees and has to serve all downloads. */
export const claudieProxy = 'http://proxy.claudie.io:8880';

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
