/** The CustomResourceDefinitions, by the rules of structural schemas that an API server refuses them for. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isMap } from '#domain/json.ts';
import { customResourceDefinitions } from '../../scripts/crds/definitions.ts';
import { structuralSchema } from '../../scripts/crds/structural-schema.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Places of schemas that have no type and may not be without. */
function untyped(schema: unknown, path: string): readonly string[] {
  if (!isMap(schema)) return [path];
  const fits =
    schema.type === undefined ? schema['x-kubernetes-preserve-unknown-fields'] : types.includes(String(schema.type));
  const properties = isMap(schema.properties) ? Object.entries(schema.properties) : [];
  const inner = (['items', 'additionalProperties'] as const).filter((key) => schema[key] !== undefined);
  return [
    ...(fits === true ? [] : [path]),
    ...properties.flatMap(([key, one]) => untyped(one, `${path}.${key}`)),
    ...inner.flatMap((key) => untyped(schema[key], `${path}.${key}`)),
  ];
}

it.each(customResourceDefinitions().map(({ file, definition }) => [file, definition] as const))(
  'each place of %s has a type that Kubernetes knows',
  (_file, definition) => {
    const { versions } = (definition as { spec: { versions: { schema: { openAPIV3Schema: unknown } }[] } }).spec;
    expect(versions.flatMap(({ schema }) => untyped(schema.openAPIV3Schema, ''))).toEqual([]);
  },
);

it('a field of the definitions that allows any type keeps its value unchanged', () => {
  const schema = structuralSchema(z.object({ free: z.record(z.string(), z.unknown()) }), '', {});
  expect(schema.properties?.free?.additionalProperties).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
});
