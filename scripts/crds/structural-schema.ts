/** A zod shape as a structural schema of a CustomResourceDefinition. */
import type { z } from 'zod';
import { jsonSchemaOf } from '#domain/documents/json-schema.ts';

export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly StructuralSchema[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly [other: string]: unknown;
}

/** Bounds that Kubernetes checks. Patterns are left to Kubeloom: it reports all faults at once, each with what to do. */
const bounds = ['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength'] as const;

const anyValue = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** Additional texts of places of the shape, by path: `spec.nodePools.dynamic[]`. */
export type Additions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function structuralSchema(shape: z.ZodType, path: string, additions: Additions): StructuralSchema {
  return converted(jsonSchemaOf(shape) as StructuralSchema, path, additions);
}

function converted(source: StructuralSchema, path: string, additions: Additions): StructuralSchema {
  const schema = withoutUnion(source, path);
  const { type, description, properties, required, items, additionalProperties } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (type === undefined && values === undefined)
    return { ...(description !== undefined && { description }), ...anyValue };
  const limits = bounds.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]));
  const inner = Object.entries(properties ?? {}).map(([key, one]) => [key, converted(one, join(path, key), additions)]);
  // Fields with a default are required in what zod makes of a document, not in what is written.
  const needed = required?.filter((key) => properties?.[key]?.default === undefined) ?? [];
  const result = {
    ...(description !== undefined && { description }),
    type: type ?? typeof values?.[0],
    ...(values !== undefined && { enum: values }),
    ...Object.fromEntries(limits),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(inner.length > 0 && { properties: Object.fromEntries(inner) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: converted(items, `${path}[]`, additions) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: converted(additionalProperties, `${path}{}`, additions),
    }),
    ...additions[path],
  };
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
}

/** Unions of constants are enumerations, unions of formats are of their one type. */
function withoutUnion(schema: StructuralSchema, path: string): StructuralSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const types = new Set(anyOf.map(({ type, const: value }) => type ?? typeof value));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === 'object')
    throw new Error(`${path} is a union of ${[...types].join(' and ')}: a structural schema has one type`);
  const constants = anyOf.map((one) => one.const).filter((value) => value !== undefined);
  return { ...rest, type, ...(constants.length === anyOf.length && { enum: constants }) };
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
