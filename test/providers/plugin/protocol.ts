/** Messages of the plugin protocol as bytes, and schemas as the protocol has them. */
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { type CtyObject, decodeValue, encodeValue, isObject } from './cty-value.ts';
import type { AttributeSchema, BlockSchema, SchemaFixture, VersionedSchema } from './schema-fixture.ts';

const messages = protobuf.loadSync(fileURLToPath(new URL('plugin-protocol.proto', import.meta.url)));

/** `value` as a message `name` of plugin-protocol.proto. */
export function encodeMessage(name: string, value: Readonly<Record<string, unknown>>): Uint8Array {
  const type = messages.lookupType(`tfplugin6.${name}`);
  return type.encode(type.fromObject(value)).finish();
}

/** The fields of a message that the client sent; absent ones are absent. */
export function decodeMessage(name: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const type = messages.lookupType(`tfplugin6.${name}`);
  return type.toObject(type.decode(bytes), { longs: Number });
}

interface DynamicValue {
  readonly msgpack?: Uint8Array;
}

/** An object of the configuration or the state; null if it does not exist. */
export function objectOf(field: unknown): CtyObject | null {
  const { msgpack } = (field ?? {}) as DynamicValue;
  if (msgpack === undefined || msgpack.length === 0) return null;
  const value = decodeValue(msgpack);
  return isObject(value) ? value : null;
}

export function dynamicValue(value: CtyObject | null): DynamicValue {
  return { msgpack: encodeValue(value) };
}

const errorSeverity = 1;

export function errorDiagnostic(summary: string, detail = ''): Readonly<Record<string, unknown>> {
  return { severity: errorSeverity, summary, detail };
}

const nestingNumbers = { single: 1, list: 2, set: 3, map: 4, group: 5 } as const;

/** The answer to GetProviderSchema. */
export function schemaMessage({ schema }: SchemaFixture): Readonly<Record<string, unknown>> {
  const all = (schemas: Readonly<Record<string, VersionedSchema>>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, versioned(each)]));
  return {
    provider: versioned(schema.provider),
    resourceSchemas: all(schema.resource_schemas),
    dataSourceSchemas: all(schema.data_source_schemas),
    serverCapabilities: { getProviderSchemaOptional: true },
  };
}

function versioned({ version, block }: VersionedSchema): Readonly<Record<string, unknown>> {
  return { version, block: blockMessage(block) };
}

function blockMessage(block: BlockSchema): Readonly<Record<string, unknown>> {
  return {
    attributes: Object.entries(block.attributes).map(([name, schema]) => attributeMessage(name, schema)),
    blockTypes: Object.entries(block.block_types).map(([typeName, nested]) => ({
      typeName,
      block: blockMessage(nested.block),
      nesting: nestingNumbers[nested.nesting_mode],
      minItems: nested.min_items ?? 0,
      maxItems: nested.max_items ?? 0,
    })),
  };
}

function attributeMessage(name: string, schema: AttributeSchema): Readonly<Record<string, unknown>> {
  const { type, nested_type: nested, required, optional, computed, sensitive, write_only: writeOnly } = schema;
  return {
    name,
    ...(type === undefined ? {} : { type: new TextEncoder().encode(JSON.stringify(type)) }),
    ...(nested === undefined ? {} : { nestedType: nestedMessage(nested) }),
    required,
    optional,
    computed,
    sensitive,
    writeOnly,
  };
}

function nestedMessage(nested: NonNullable<AttributeSchema['nested_type']>): Readonly<Record<string, unknown>> {
  return {
    attributes: Object.entries(nested.attributes).map(([name, schema]) => attributeMessage(name, schema)),
    nesting: nestingNumbers[nested.nesting_mode],
  };
}
