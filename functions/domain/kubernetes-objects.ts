/** Objects of Kubernetes as documents have them, and their names in one line. */

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Reads objects from YAML, as `readObjects` of the documents does. Never throws. */
export type ObjectReader = (text: string) => ReadObjects;

/** What an object is known by: `namespace` is absent for those of the whole cluster. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ReadObjects {
  readonly objects: readonly KubernetesObject[];
  /** Sentences without full stop; with any, `objects` has only those without. */
  readonly faults: readonly { readonly reason: string; readonly fix: string }[];
}

/** `v1 ConfigMap shop/settings`, `v1 Namespace shop` */
export function objectText({ apiVersion, kind, namespace, name }: ObjectName): string {
  return `${apiVersion} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The same for all versions of one object: a cluster serves it in each of them. */
export function objectKey({ apiVersion, ...name }: ObjectName): string {
  return objectText({ ...name, apiVersion: groupOf(apiVersion) });
}

/** `apps` of `apps/v1`; '' is the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** Reads what `objectText` wrote. */
export function parseObjectText(text: string): ObjectName {
  const [apiVersion = '', kind = '', place = ''] = text.split(' ');
  const [name = '', namespace] = place.split('/').reverse();
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

export function nameOfObject({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): ObjectName {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
