/** Objects of Kubernetes as documents have them: read from YAML, with every fault, and named in one line. */

import { type Limits, parseDocuments } from '#documents/parse-documents.ts';
import { isMap } from './manifest/kubernetes-document.ts';

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

/** Reads them. Never throws. */
export function readObjects(text: string, limits: Limits = {}): ReadObjects {
  const { documents, faults } = parseDocuments(text, limits);
  const read = documents.map((document, index) => readObject(document, index + 1));
  return {
    objects: read.flatMap((one) => ('object' in one ? [one.object] : [])),
    faults: [
      ...faults.map(({ line, reason, fix }) => ({ reason: line ? `line ${line}: ${reason}` : reason, fix })),
      ...read.flatMap((one) => ('object' in one ? [] : [one])),
    ],
  };
}

function readObject(
  document: unknown,
  number: number,
): { readonly object: KubernetesObject } | ReadObjects['faults'][number] {
  const known = isMap(document) && typeof document.kind === 'string' ? ` (${document.kind})` : '';
  const fault = (what: string, fix: string) => ({ reason: `object ${number}${known} ${what}`, fix });
  if (!isMap(document))
    return fault('is not a map', 'write an object of Kubernetes, with apiVersion, kind and metadata');
  const { apiVersion, kind, metadata } = document;
  if (!isText(apiVersion)) return fault('has no apiVersion', 'name one, such as "v1" or "apps/v1"');
  if (!isText(kind)) return fault('has no kind', 'name one, such as "ConfigMap"');
  if (!isMap(metadata) || !isText(metadata.name)) return fault('has no metadata.name', 'give it a name');
  if (metadata.namespace !== undefined && !isText(metadata.namespace))
    return fault('has a metadata.namespace that is not text', 'name a namespace, or leave it out');
  if (metadata.labels !== undefined && !isLabels(metadata.labels))
    return fault('has labels that are not texts', 'put their values into quotes');
  return { object: document as KubernetesObject };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[^\s]+$/.test(value);
}

function isLabels(value: unknown): boolean {
  return isMap(value) && Object.values(value).every((label) => typeof label === 'string');
}
