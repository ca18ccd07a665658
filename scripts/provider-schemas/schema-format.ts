/** The shape of `terraform providers schema -json`, cut to what the modules use, as test/providers/schemas/<type>.json keeps it. */

/** A Terraform type: "string", or ["list", T], ["set", T], ["map", T], ["object", {name: T}]. */
export type TypeSpec =
  | string
  | readonly ['object', Readonly<Record<string, TypeSpec>>]
  | readonly ['list' | 'set' | 'map', TypeSpec];

export type Nesting = 'single' | 'list' | 'set' | 'map' | 'group';

export interface AttributeSchema {
  type?: TypeSpec;
  /** Attributes inside an attribute (`name = [{ … }]`), as plugin-framework providers have them. */
  nested_type?: { nesting_mode: Nesting; attributes: Record<string, AttributeSchema> };
  required?: boolean;
  optional?: boolean;
  computed?: boolean;
  sensitive?: boolean;
  write_only?: boolean;
}

export interface BlockSchema {
  attributes?: Record<string, AttributeSchema>;
  block_types?: Record<string, BlockTypeSchema>;
}

export interface BlockTypeSchema {
  nesting_mode: Nesting;
  block: BlockSchema;
  min_items?: number;
  max_items?: number;
}

/** The parts of a provider: its own block, resources and data sources by their type. */
export interface ProviderSchema {
  provider: BlockSchema;
  resource_schemas: Record<string, BlockSchema>;
  data_source_schemas: Record<string, BlockSchema>;
}

/** One committed fixture. */
export interface SchemaFixture {
  /** Address of the provider, e.g. "hashicorp/aws". */
  provider: string;
  /** Version that the schema is of; "mixed": read from pages of several commits. */
  version: string;
  /** How the schema was had, honestly. */
  obtained: string;
  /** What a reader must know; required if the pinned version differs. */
  note?: string;
  schema: ProviderSchema;
}
