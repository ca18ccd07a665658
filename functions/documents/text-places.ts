/** Where in its text a document, or a part of it, is: stored next to the document from the moment it was read. */
import type { Fault } from '#domain/manifest/faults/fault.ts';

/** Counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}
type PlaceOf = (path: string) => TextPlace;

const places = new WeakMap<object, PlaceOf>();

/** For documents that are maps or lists; a number has no parts. */
export function keepPlaces(document: unknown, placeOf: PlaceOf): void {
  if (typeof document === 'object' && document !== null) places.set(document, placeOf);
}

/** The copy has the same places as its original. */
export function withPlacesOf<Copy>(original: unknown, copy: Copy): Copy {
  const known = typeof original === 'object' && original !== null ? places.get(original) : undefined;
  if (known) keepPlaces(copy, known);
  return copy;
}

/** Where a path of a document is, or its nearest part that exists; undefined when the document was not read from text. */
export function placeOf(document: unknown, path: string): TextPlace | undefined {
  return typeof document === 'object' && document !== null ? places.get(document)?.(path) : undefined;
}

/** The faults with their places in the text of the document, where that is known. */
export function placed<Some extends Pick<Fault, 'path'>>(document: unknown, faults: readonly Some[]): Some[] {
  return faults.map((fault) => ({ ...fault, ...placeOf(document, fault.path) }));
}
