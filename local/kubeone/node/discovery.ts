/** The capabilities that the server lists: version, groups, resources. */
import type { JsonObject } from './json.ts';
import { type ApiResource, basePathOf, groupVersionOf } from './resources.ts';

/** Answer to a discovery path; undefined for any other path. */
export function discoveryAnswer(
  path: string,
  kubernetesVersion: string,
  resources: readonly ApiResource[],
): JsonObject | undefined {
  if (path === '/version') return version(kubernetesVersion);
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(resources) };
  const listed = resources.filter((resource) => basePathOf(resource) === path);
  const [first] = listed;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersionOf(first),
    resources: listed.map(({ name, kind, namespaced, shortNames }) => ({
      name,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      shortNames: [...shortNames],
      verbs: ['delete', 'get', 'list', 'patch'],
    })),
  };
}

function groupsOf(resources: readonly ApiResource[]): JsonObject[] {
  const groups = Map.groupBy(
    resources.filter(({ group }) => group !== ''),
    ({ group }) => group,
  );
  return [...groups].map(([name, members]) => {
    const versions = [...new Set(members.map(({ version }) => version))].map((version) => ({
      groupVersion: `${name}/${version}`,
      version,
    }));
    return { name, versions, ...(versions[0] ? { preferredVersion: versions[0] } : {}) };
  });
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
