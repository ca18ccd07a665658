/** The capabilities that the server lists: version, groups, resources. */
import type { JsonObject } from './json.ts';
import { basePath, resources } from './resources.ts';

/** Answer to a discovery path; undefined when it is none. */
export function discover(path: string, kubernetesVersion: string): JsonObject | undefined {
  if (path === '/version') return version(kubernetesVersion);
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: [] };
  if (path !== basePath) return undefined;
  const listed = resources.map(({ name, kind, namespaced, shortName }) => ({
    ...{ name, singularName: kind.toLowerCase(), namespaced, kind, shortNames: [shortName] },
    verbs: ['delete', 'get', 'list', 'patch'],
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1', resources: listed };
}

function version(kubernetesVersion: string): JsonObject {
  const [major = '1', minor = '0'] = kubernetesVersion.split('.');
  return {
    major,
    minor,
    gitVersion: `v${kubernetesVersion}`,
    gitCommit: 'simulated',
    gitTreeState: 'simulated control plane',
    platform: 'linux/amd64',
  };
}
