/** Reads a zod schema by the path of a document: which keys an object knows, what a field is for. */
import { z } from 'zod';

type Schema = z.core.$ZodType;

/** The keys of the object at `path`; none when there is no object. */
export function keysAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  const place = placeAt(schema, path);
  const object = place && unwrapped(place);
  return object instanceof z.core.$ZodObject ? Object.keys(object._zod.def.shape) : [];
}

/** The description of the field at `path`. */
export function descriptionAt(schema: Schema, path: readonly PropertyKey[]): string | undefined {
  return firstIn(placeAt(schema, path), (place) => z.globalRegistry.get(place)?.description);
}

/** The value of the field at `path` when it is left out; undefined when the schema has no default. */
export function defaultAt(schema: Schema, path: readonly PropertyKey[]): { readonly value: unknown } | undefined {
  return firstIn(placeAt(schema, path), (place) =>
    place instanceof z.core.$ZodDefault || place instanceof z.core.$ZodPrefault
      ? { value: place._zod.def.defaultValue }
      : undefined,
  );
}

function placeAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  return path.reduce<Schema | undefined>((at, key) => at && step(at, key), schema);
}

/** What `read` finds first, in the schema or in what its wrappers hold. */
function firstIn<Found>(schema: Schema | undefined, read: (place: Schema) => Found | undefined): Found | undefined {
  return schema && (read(schema) ?? firstIn(inner(schema), read));
}

function step(schema: Schema, key: PropertyKey): Schema | undefined {
  const place = unwrapped(schema);
  if (place instanceof z.core.$ZodObject) {
    const shape: Readonly<Record<PropertyKey, Schema>> = place._zod.def.shape;
    return Object.hasOwn(shape, key) ? shape[key] : undefined;
  }
  if (place instanceof z.core.$ZodArray) return place._zod.def.element;
  if (place instanceof z.core.$ZodRecord) return place._zod.def.valueType;
  return undefined;
}

function unwrapped(schema: Schema): Schema {
  const next = inner(schema);
  return next === undefined ? schema : unwrapped(next);
}

/** The schema that a wrapper holds, seen from the side of what is written. */
function inner(schema: Schema): Schema | undefined {
  if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault
  ) {
    return schema._zod.def.innerType;
  }
  return schema instanceof z.core.$ZodPipe ? schema._zod.def.in : undefined;
}
