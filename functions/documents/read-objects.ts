/** Reads objects of Kubernetes from YAML, with every fault. */

import { isMap } from '#domain/json.ts';
import type { KubernetesObject, ReadObjects } from '#domain/kubernetes-objects.ts';
import { type Limits, parseDocuments } from './parse-documents.ts';

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
  if (!isMap(document)) return fault('is not a map', 'write a Kubernetes object, with apiVersion, kind and metadata');
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
