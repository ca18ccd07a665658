/** The kinds of objects that the simulated API server keeps: one table for discovery, routes and printing, and what definitions add. */
import { at, type Json, listAt } from './json.ts';

export interface ApiResource {
  readonly name: string;
  readonly kind: string;
  /** '' = the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
}

/** `name Kind short`; `*` = of the whole cluster. */
const table: Readonly<Record<string, readonly string[]>> = {
  v1: [
    ...['nodes Node* no', 'namespaces Namespace* ns', 'persistentvolumes PersistentVolume* pv', 'pods Pod po'],
    ...['configmaps ConfigMap cm', 'services Service svc', 'secrets Secret', 'serviceaccounts ServiceAccount sa'],
    'persistentvolumeclaims PersistentVolumeClaim pvc',
  ],
  'apps/v1': ['deployments Deployment deploy', 'daemonsets DaemonSet ds', 'statefulsets StatefulSet sts'],
  'batch/v1': ['jobs Job', 'cronjobs CronJob cj'],
  'policy/v1': ['poddisruptionbudgets PodDisruptionBudget pdb'],
  'networking.k8s.io/v1': ['ingresses Ingress ing', 'networkpolicies NetworkPolicy netpol'],
  'storage.k8s.io/v1': ['storageclasses StorageClass* sc', 'csidrivers CSIDriver*'],
  'scheduling.k8s.io/v1': ['priorityclasses PriorityClass* pc'],
  'rbac.authorization.k8s.io/v1': [
    ...[
      'roles Role',
      'rolebindings RoleBinding',
      'clusterroles ClusterRole*',
      'clusterrolebindings ClusterRoleBinding*',
    ],
  ],
  'certificates.k8s.io/v1': ['certificatesigningrequests CertificateSigningRequest* csr'],
  'apiextensions.k8s.io/v1': ['customresourcedefinitions CustomResourceDefinition* crd'],
};

const builtin: readonly ApiResource[] = Object.entries(table).flatMap(([groupVersion, rows]) =>
  rows.map((row) => {
    const [name = '', kind = '', ...shortNames] = row.split(' ');
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return { name, kind: kind.replace('*', ''), namespaced: !kind.endsWith('*'), group, version, shortNames };
  }),
);

export function resourceNamed(name: string): ApiResource {
  const found = builtin.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

/** All of them; `definitions`: the CustomResourceDefinitions that were applied. */
export function resourcesWith(definitions: readonly Json[]): readonly ApiResource[] {
  const custom = definitions.flatMap((definition) =>
    listAt(definition, 'spec', 'versions')
      .filter((version) => at(version, 'served') === true)
      .map((version) => ({
        name: String(at(definition, 'spec', 'names', 'plural')),
        kind: String(at(definition, 'spec', 'names', 'kind')),
        group: String(at(definition, 'spec', 'group')),
        version: String(at(version, 'name')),
        namespaced: at(definition, 'spec', 'scope') === 'Namespaced',
        shortNames: listAt(definition, 'spec', 'names', 'shortNames').map(String),
      })),
  );
  return [...builtin, ...custom];
}

/** `/api/v1`, `/apis/apps/v1` */
export function basePathOf({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function groupVersionOf({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** What a request path names. */
export interface Target {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string | undefined;
}

/** Reads a request path; undefined when no resource is named by it. */
export function parseApiPath(path: string, resources: readonly ApiResource[]): Target | undefined {
  const base = /^\/api\/v1(?=\/)|^\/apis\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0];
  if (base === undefined) return undefined;
  const parts = path
    .slice(base.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const scoped = parts[0] === 'namespaces' && parts.length > 2;
  const [kind, name] = scoped ? parts.slice(2) : parts;
  const resource = resources.find((known) => known.name === kind && basePathOf(known) === base);
  return resource && { resource, namespace: scoped ? (parts[1] ?? '') : '', name };
}
