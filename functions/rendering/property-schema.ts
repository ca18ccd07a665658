/** Values judged by a JSON Schema of a provider type. */
import { z } from 'zod';

/** No one reads more. */
const mostFaults = 50;

/** The schema, or why it cannot be used. */
export function readSchema(
  schema: Readonly<Record<string, unknown>>,
): { readonly read: z.ZodType } | { readonly problem: string } {
  try {
    return { read: z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

export interface SchemaFault {
  readonly path: (string | number)[];
  readonly reason: string;
}

/** What does not fit; values of the document are not in the reasons. */
export function judgeBySchema(schema: z.ZodType, value: unknown): SchemaFault[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.slice(0, mostFaults).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (path.length > 0 && at(value, path) === undefined) return [{ path, reason: 'is missing' }];
    if (issue.code !== 'unrecognized_keys') return [{ path, reason: inWords(issue.message) }];
    return issue.keys.map((key) => ({ path: [...path, key], reason: 'is not a property of the type' }));
  });
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const part of path) inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[part];
  return inner;
}

/** `does not fit: expected number to be <=4` */
function inWords(message: string): string {
  const [, rest] = /^[^:]+: (.*)$/s.exec(message) ?? [];
  return `does not fit: ${rest ?? message}`;
}
