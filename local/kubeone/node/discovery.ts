/** The capabilities that the server lists: version, groups, resources, and as much OpenAPI as kubectl needs to trust it. */
import type { JsonObject } from './json.ts';
import {
  apiVersion,
  basePath,
  type GroupVersion,
  groupVersions,
  type Resource,
  resources,
  reviewGroup,
} from './resources.ts';

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** Answer to a discovery path; undefined when it is none. */
export function discover(path: string, kubernetesVersion: string): JsonObject | undefined {
  if (path === '/version') return version(kubernetesVersion);
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups() };
  if (path === '/openapi/v3') return openapiIndex();
  for (const groupVersion of groupVersions()) {
    if (path === basePath(groupVersion)) return resourceList(groupVersion);
    if (path === `/openapi/v3${basePath(groupVersion)}`) return openapiOf(groupVersion);
  }
  return undefined;
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
  if (groupVersion.group === '') {
    list.push({
      name: 'nodes/status',
      singularName: '',
      namespaced: false,
      kind: 'Node',
      verbs: ['get', 'patch', 'update'],
    });
    // `kubectl drain` evicts only when it finds this line; otherwise it deletes.
    list.push({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
  }
  if (groupVersion.group === reviewGroup.group) {
    const kind = 'SelfSubjectAccessReview';
    list.push({ name: 'selfsubjectaccessreviews', singularName: '', namespaced: false, kind, verbs: ['create'] });
  }
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion(groupVersion), resources: list };
}

function openapiIndex(): JsonObject {
  const paths: JsonObject = {};
  for (const groupVersion of groupVersions()) {
    const path = basePath(groupVersion);
    paths[path.slice(1)] = { serverRelativeURL: `/openapi/v3${path}` };
  }
  return { paths };
}

/** kubectl leaves validation to the server when PATCH of the kind knows `fieldValidation`. */
function openapiOf(groupVersion: GroupVersion): JsonObject {
  const paths: JsonObject = {};
  for (const resource of resources.filter(({ group }) => group === groupVersion.group)) {
    const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
    paths[`${basePath(groupVersion)}${scope}/${resource.name}/{name}`] = { patch: patchOperation(resource) };
  }
  return {
    openapi: '3.0.0',
    info: { title: 'simulated control plane', version: 'v1' },
    paths,
    components: { schemas: {} },
  };
}

function patchOperation({ group, version, kind }: Resource): JsonObject {
  return {
    description: `patch a ${kind}`,
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}
