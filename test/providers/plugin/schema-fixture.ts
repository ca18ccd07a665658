/** Schemas of a provider as `terraform providers schema -json` prints them, cut to what is in use. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isAlsoComputed } from './also-computed.ts';
import type { CtyType } from './cty-value.ts';

const NestingMode = z.enum(['single', 'list', 'set', 'map', 'group']);

export interface AttributeSchema {
  readonly type?: CtyType | undefined;
  readonly nested_type?:
    | { readonly attributes: Attributes; readonly nesting_mode: z.infer<typeof NestingMode> }
    | undefined;
  readonly required?: boolean | undefined;
  readonly optional?: boolean | undefined;
  readonly computed?: boolean | undefined;
  readonly sensitive?: boolean | undefined;
  readonly write_only?: boolean | undefined;
}
type Attributes = Readonly<Record<string, AttributeSchema>>;

export interface BlockSchema {
  readonly attributes: Attributes;
  readonly block_types: Readonly<Record<string, NestedBlockSchema>>;
}

export interface NestedBlockSchema {
  readonly nesting_mode: z.infer<typeof NestingMode>;
  readonly block: BlockSchema;
  readonly min_items?: number | undefined;
  readonly max_items?: number | undefined;
}

const CtyTypeSchema: z.ZodType<CtyType> = z.union([z.string(), z.tuple([z.string()], z.unknown())]);
const Attribute: z.ZodType<AttributeSchema> = z.lazy(() =>
  z.object({
    type: CtyTypeSchema.optional(),
    nested_type: z.object({ attributes: z.record(z.string(), Attribute), nesting_mode: NestingMode }).optional(),
    required: z.boolean().optional(),
    optional: z.boolean().optional(),
    computed: z.boolean().optional(),
    sensitive: z.boolean().optional(),
    write_only: z.boolean().optional(),
  }),
);
const Block: z.ZodType<BlockSchema> = z.lazy(() =>
  z.object({
    attributes: z.record(z.string(), Attribute).default({}),
    block_types: z
      .record(
        z.string(),
        z.object({
          nesting_mode: NestingMode,
          block: Block,
          min_items: z.number().optional(),
          max_items: z.number().optional(),
        }),
      )
      .default({}),
  }),
);
/** A block with its version, or, as the fixtures have it, the block alone. */
const Versioned = z.union([
  z.object({ version: z.number().default(0), block: Block }),
  Block.transform((block) => ({ version: 0, block })),
]);
export type VersionedSchema = z.infer<typeof Versioned>;

export const SchemaFixture = z.object({
  /** `<namespace>/<name>`, as `required_providers` has it. */
  provider: z.string(),
  version: z.string(),
  /** How the schema was come by. */
  obtained: z.string(),
  schema: z.object({
    provider: Versioned,
    resource_schemas: z.record(z.string(), Versioned).default({}),
    data_source_schemas: z.record(z.string(), Versioned).default({}),
  }),
});
export type SchemaFixture = z.infer<typeof SchemaFixture>;

/** Reads one. Throws with the path of what is wrong in it. */
export function readSchemaFixture(file: string | URL): SchemaFixture {
  const read = SchemaFixture.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) throw new Error(`${file} is no schema fixture: ${z.prettifyError(read.error)}`);
  const { schema } = read.data;
  return {
    ...read.data,
    schema: {
      provider: schema.provider,
      resource_schemas: completed(schema.resource_schemas),
      data_source_schemas: completed(schema.data_source_schemas),
    },
  };
}

type Schemas = SchemaFixture['schema']['resource_schemas'];

/** Some sources do not say that an optional attribute gets a value from the cloud where the configuration has none. */
function completed(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([type, { version, block }]) => {
      const attributes = Object.entries(block.attributes).map(([name, schema]) => {
        const computed = schema.computed || (schema.optional && isAlsoComputed(type, name));
        return [name, computed ? { ...schema, computed } : schema] as const;
      });
      return [type, { version, block: { ...block, attributes: Object.fromEntries(attributes) } }];
    }),
  );
}
