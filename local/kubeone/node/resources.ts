/** The kinds of objects that the simulated API server keeps: one table for discovery, routes and printing. */

export interface Resource {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
}

export const resources: readonly Resource[] = [
  { group: '', version: 'v1', name: 'nodes', kind: 'Node', namespaced: false, shortNames: ['no'] },
  { group: '', version: 'v1', name: 'namespaces', kind: 'Namespace', namespaced: false, shortNames: ['ns'] },
  { group: '', version: 'v1', name: 'configmaps', kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] },
  { group: '', version: 'v1', name: 'services', kind: 'Service', namespaced: true, shortNames: ['svc'] },
  { group: '', version: 'v1', name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] },
  { group: 'apps', version: 'v1', name: 'daemonsets', kind: 'DaemonSet', namespaced: true, shortNames: ['ds'] },
];

export function resourceNamed(name: string): Resource {
  const found = resources.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

export const namespaceNames = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export function groupVersions(): readonly GroupVersion[] {
  const seen = new Map<string, GroupVersion>();
  for (const { group, version } of resources) seen.set(`${group}/${version}`, { group, version });
  return [...seen.values()];
}

export function apiVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `/api/v1` or `/apis/<group>/<version>`. */
export function basePath(groupVersion: GroupVersion): string {
  return groupVersion.group === '' ? `/api/${groupVersion.version}` : `/apis/${apiVersion(groupVersion)}`;
}

/** What a request path names. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string | undefined;
}

/** Reads a request path; undefined when no resource is named by it. */
export function parseApiPath(path: string): Target | undefined {
  const base = groupVersions().find((groupVersion) => path.startsWith(`${basePath(groupVersion)}/`));
  if (base === undefined) return undefined;
  const parts = path
    .slice(basePath(base).length + 1)
    .split('/')
    .map(decodeURIComponent);
  const scoped = parts[0] === 'namespaces' && parts.length > 2;
  const [name, object] = scoped ? parts.slice(2) : parts;
  const resource = resources.find(({ group, name: known }) => group === base.group && known === name);
  if (resource === undefined) return undefined;
  return { resource, namespace: scoped ? (parts[1] ?? '') : '', name: object };
}
