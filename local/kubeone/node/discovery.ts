/** The capabilities that the server lists: version, groups, resources. */
import type { JsonObject } from './json.ts';
import { apiVersion, basePath, type GroupVersion, groupVersions, resources } from './resources.ts';

const verbs = ['delete', 'get', 'list', 'patch'];

/** Answer to a discovery path; undefined when it is none. */
export function discover(path: string, kubernetesVersion: string): JsonObject | undefined {
  if (path === '/version') return version(kubernetesVersion);
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups() };
  const listed = groupVersions().find((groupVersion) => path === basePath(groupVersion));
  return listed && resourceList(listed);
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

function groups(): JsonObject[] {
  return groupVersions()
    .filter(({ group }) => group !== '')
    .map((groupVersion) => {
      const shown = { groupVersion: apiVersion(groupVersion), version: groupVersion.version };
      return { name: groupVersion.group, versions: [shown], preferredVersion: shown };
    });
}

function resourceList(groupVersion: GroupVersion): JsonObject {
  const own = resources.filter(({ group }) => group === groupVersion.group);
  const list: JsonObject[] = own.map((resource) => ({
    name: resource.name,
    singularName: resource.kind.toLowerCase(),
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs,
    shortNames: [...(resource.shortNames ?? [])],
    categories: resource.group === 'apps' || ['pods', 'services'].includes(resource.name) ? ['all'] : [],
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion(groupVersion), resources: list };
}
