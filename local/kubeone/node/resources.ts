/** The kinds of objects that the simulated API server keeps, all of the core group: one table for discovery, routes and printing. */

export interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortName: string;
}

export const resources: readonly Resource[] = [
  { name: 'nodes', kind: 'Node', namespaced: false, shortName: 'no' },
  { name: 'namespaces', kind: 'Namespace', namespaced: false, shortName: 'ns' },
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true, shortName: 'cm' },
  { name: 'services', kind: 'Service', namespaced: true, shortName: 'svc' },
  { name: 'pods', kind: 'Pod', namespaced: true, shortName: 'po' },
];

export const basePath = '/api/v1';

export function resourceNamed(name: string): Resource {
  const found = resources.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

/** What a request path names. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string | undefined;
}

/** Reads a request path; undefined when no resource is named by it. */
export function parseApiPath(path: string): Target | undefined {
  if (!path.startsWith(`${basePath}/`)) return undefined;
  const parts = path
    .slice(basePath.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const scoped = parts[0] === 'namespaces' && parts.length > 2;
  const [kind, name] = scoped ? parts.slice(2) : parts;
  const resource = resources.find((known) => known.name === kind);
  return resource && { resource, namespace: scoped ? (parts[1] ?? '') : '', name };
}
