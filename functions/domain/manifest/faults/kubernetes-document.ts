/** What all documents share: fields that a Kubernetes server adds, the kinds there are, the order of faults. */
import { isMap } from '../../json.ts';
import { serverFields } from '../schema/names.ts';
import { type Fault, parsePath } from './fault.ts';

/** The document without `status` and the metadata a Kubernetes server writes, as in `kubectl get -o yaml`. */
export function withoutServerFields(document: unknown): unknown {
  if (!isMap(document)) return document;
  const { status: _, ...rest } = document;
  if (!isMap(rest.metadata)) return rest;
  const metadata = Object.entries(rest.metadata).filter(([key]) => !serverFields.some((field) => field === key));
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

/** Maps whose keys are the user's own, where an empty value says something. */
const ownKeys: readonly string[] = ['labels', 'annotations'];

/** The document without fields that have no value, as Kubernetes treats it: `labels:` alone is as good as no labels. */
export function withoutEmptyFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyFields);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== null && !(key === 'hostname' && inner === ''))
      .map(([key, inner]) => [key, ownKeys.includes(key) ? inner : withoutEmptyFields(inner)]),
  );
}

/** The faults in the order of the document; missing fields come at the end of the part they are missing in. */
export function inDocumentOrder(document: unknown, faults: readonly Fault[]): readonly Fault[] {
  const places = faults.map((fault) => ({ fault, place: placeIn(document, fault.path) }));
  return places.sort((left, right) => compare(left.place, right.place)).map(({ fault }) => fault);
}

function placeIn(document: unknown, path: string): number[] {
  let at = document;
  return parsePath(path).map((part) => {
    const position = typeof part === 'number' ? part : isMap(at) ? Object.keys(at).indexOf(part) : -1;
    at = Array.isArray(at) ? at[Number(part)] : isMap(at) ? at[String(part)] : undefined;
    return position < 0 ? Number.MAX_SAFE_INTEGER : position;
  });
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
