/** Turns the errors of zod about a document into faults that people understand. */
import type { z } from 'zod';
import { nearest } from '../../nearest.ts';
import { shown } from '../schema/names.ts';
import { error, type Fault, pathText } from './fault.ts';
import { descriptionAt, keysAt } from './schema-places.ts';

type Issue = z.core.$ZodIssue;

/** More are not reported: no one reads that many. */
const maxIssues = 1000;

export interface SchemaFaults {
  readonly faults: readonly Fault[];
  /** Places that are missing because their key is misspelt: one of the faults says so already. */
  readonly intended: ReadonlySet<string>;
}

/** Where the document differs from the schema. Values below the keys of `secretParts` stay out of the text. */
export function schemaFaults(
  schema: z.ZodType,
  document: unknown,
  secretParts: readonly PropertyKey[] = [],
): SchemaFaults {
  const result = schema.safeParse(document, { reportInput: true });
  if (result.success) return { faults: [], intended: new Set() };
  const issues = result.error.issues.slice(0, maxIssues);
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(schema, issue) : []));
  const intended = new Set(unknown.flatMap((entry) => entry.intended ?? []));
  const others = issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return [];
    if (intended.has(pathText(issue.path)) && isMissing(issue)) return [];
    return [faultOf(schema, issue, secretParts.includes(issue.path[0] ?? ''))];
  });
  return { faults: [...unknown.map(({ fault }) => fault), ...others], intended };
}

function unknownKeys(
  schema: z.ZodType,
  issue: Extract<Issue, { code: 'unrecognized_keys' }>,
): { fault: Fault; intended: string | undefined }[] {
  const known = keysAt(schema, issue.path);
  const given = Object.keys(issue.input ?? {});
  return issue.keys.map((key) => {
    const near = nearest(
      key,
      known.filter((name) => !given.includes(name)),
    );
    const fix = near === undefined ? `remove it; known here: ${known.join(', ')}` : `did you mean ${near}?`;
    return {
      fault: error([...issue.path, key], `there is no field ${shown(key)} here`, fix),
      intended: near === undefined ? undefined : pathText([...issue.path, near]),
    };
  });
}

function faultOf(schema: z.ZodType, issue: Issue, secretive: boolean): Fault {
  if (isMissing(issue)) {
    const description = descriptionAt(schema, issue.path);
    return error(issue.path, 'is missing', description === undefined ? 'add it' : `add it: ${description}`);
  }
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue, secretive);
    case 'invalid_value':
      return wrongWord(issue, secretive);
    case 'invalid_key': {
      const [first] = issue.issues;
      return first === undefined ? spoken(issue) : { ...spoken(first), path: pathText(issue.path) };
    }
    default:
      return spoken(issue);
  }
}

/** Messages of our schemas: `<reason>; <fix>`. */
function spoken(issue: Issue): Fault {
  const [reason, ...fix] = issue.message.split('; ');
  return error(issue.path, reason ?? issue.message, fix.join('; ') || 'change it');
}

function wrongType(issue: Extract<Issue, { code: 'invalid_type' }>, secretive: boolean): Fault {
  const wanted = typeWords[issue.expected] ?? issue.expected;
  const value = secretive ? typeWord(issue.input) : (literal(issue.input) ?? typeWord(issue.input));
  const quotes = issue.expected === 'string' && ['number', 'boolean'].includes(typeof issue.input);
  return error(issue.path, `is ${value}, it must be ${wanted}`, quotes ? 'put it in quotes' : `write ${wanted}`);
}

function wrongWord(issue: Extract<Issue, { code: 'invalid_value' }>, secretive: boolean): Fault {
  const values = issue.values.map(String);
  const near = typeof issue.input === 'string' ? nearest(issue.input, values) : undefined;
  const value = secretive ? typeWord(issue.input) : (literal(issue.input) ?? typeWord(issue.input));
  const choice = values.length === 1 ? `use ${values[0]}` : `use one of ${values.join(', ')}`;
  return error(issue.path, `is ${value}`, near === undefined ? choice : `did you mean ${near}?`);
}

function isMissing(issue: Issue): boolean {
  return issue.input === undefined && issue.code !== 'unrecognized_keys' && issue.code !== 'invalid_key';
}

function literal(value: unknown): string | undefined {
  if (typeof value === 'string') return shown(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function typeWord(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'a map' }[String(typeof value)] ?? 'odd'
  );
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};
