/**
 * Reading what is stored. Writers keep to the schemas; readers ignore fields that they do not know, because a newer
 * version may have written them. A record that cannot be read is `Unreadable`, and affects nothing else.
 */
import type { z } from 'zod';
import { isPipelineError, PipelineError } from '#domain/errors.ts';

/**
 * Format number of stored items. Raise it when an older version would misread items of this version, and write it into those
 * items: 2 is a manifest whose document is a separate item.
 */
export const recordFormat = 2;
/** Format of all other items. */
export const firstFormat = 1;

/** The record in an item. Throws `Unreadable`; `what` is for people, as `manifest default/shop`. */
export function readRecord<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { what, format = 1 }: { readonly what: string; readonly format?: unknown },
): z.infer<Schema> {
  if (Number(format) > recordFormat)
    throw unreadable(
      what,
      `a newer version of Kubeloom wrote it (format ${format}, this version reads ${recordFormat})`,
    );
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  let known = structuredClone(value);
  let issues: readonly z.core.$ZodIssue[] = first.error.issues;
  // Each pass removes the unknown fields of one level of unions.
  for (let pass = 0; pass < 8 && issues.some((issue) => unknownFields(issue) !== undefined); pass += 1) {
    for (const issue of issues) for (const path of unknownFields(issue) ?? []) known = without(known, path);
    const next = schema.safeParse(known);
    if (next.success) return next.data;
    issues = next.error.issues;
  }
  throw unreadable(what, issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; '));
}

/** The same for a record that is kept as JSON text. */
export function readJsonRecord<Schema extends z.ZodType>(
  schema: Schema,
  text: unknown,
  about: { readonly what: string; readonly format?: unknown },
): z.infer<Schema> {
  return readRecord(schema, parseStoredJson(text, about.what), about);
}

export function unreadable(what: string, why: string, cause?: unknown): PipelineError {
  return new PipelineError('Unreadable', `the stored record of ${what} cannot be read: ${why}`, { cause });
}

/** The readable ones among records of history; unreadable ones are left out. */
export function readableOnes<Item, Record>(items: readonly Item[], read: (item: Item) => Record): Record[] {
  return items.flatMap((item) => {
    try {
      return [read(item)];
    } catch (error) {
      if (isPipelineError(error, 'Unreadable')) return [];
      throw error;
    }
  });
}

/** Throws `Unreadable`. */
export function parseStoredJson(text: unknown, what: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw unreadable(what, 'it is not JSON', cause);
  }
}

type Path = readonly PropertyKey[];

/** Paths of unknown fields, if the issue is only about unknown fields. */
function unknownFields(issue: z.core.$ZodIssue): readonly Path[] | undefined {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key]);
  if (issue.code !== 'invalid_union') return undefined;
  for (const branch of issue.errors) {
    const paths = branch.map(unknownFields);
    if (paths.length > 0 && !paths.includes(undefined))
      return paths.flatMap((found) => found ?? []).map((path) => [...issue.path, ...path]);
  }
  return undefined;
}

function without(value: unknown, [key, ...rest]: Path): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<PropertyKey, unknown>;
  if (rest.length === 0) delete copy[key];
  else copy[key] = without(copy[key], rest);
  return copy;
}
