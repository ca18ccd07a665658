/** A schema without what the bindings call deprecated: a module that uses any of it has faults then. */
import type { AttributeSchema, BlockSchema, BlockTypeSchema, ProviderSchema } from '../schema-format.ts';
import type { Bindings, BoundFields, BoundType } from './bridge-format.ts';
import { boundName, isMany, manyBlocks } from './bridge-names.ts';

export function withoutDeprecated(schema: ProviderSchema, bindings: Bindings): ProviderSchema {
  const all = (blocks: Record<string, BlockSchema>, bound: Readonly<Record<string, BoundFields>>) =>
    mapValues(blocks, (block, type) => currentBlock(block, bound[type] ?? {}));
  return {
    provider: currentBlock(schema.provider, bindings.provider),
    resource_schemas: all(schema.resource_schemas, bindings.resources),
    data_source_schemas: all(schema.data_source_schemas, bindings.dataSources),
  };
}

function currentBlock(block: BlockSchema, fields: BoundFields): BlockSchema {
  const fieldOf = (name: string, many: boolean) => fields[boundName(name, many, block)];
  const attributes = Object.entries(block.attributes ?? {}).filter(
    ([name, attribute]) => !fieldOf(name, isMany(attribute))?.deprecated,
  );
  const blocks = Object.entries(block.block_types ?? {}).filter(
    ([name, inner]) => !fieldOf(name, manyBlocks(inner))?.deprecated,
  );
  return {
    attributes: mapValues(Object.fromEntries(attributes), (attribute, name) =>
      currentAttribute(attribute, insideOf(fieldOf(name, isMany(attribute))?.type)),
    ),
    block_types: mapValues(Object.fromEntries(blocks), (inner, name): BlockTypeSchema => {
      return { ...inner, block: currentBlock(inner.block, insideOf(fieldOf(name, manyBlocks(inner))?.type)) };
    }),
  };
}

function currentAttribute(attribute: AttributeSchema, fields: BoundFields): AttributeSchema {
  const nested = attribute.nested_type;
  if (!nested) return attribute;
  const { attributes = {} } = currentBlock({ attributes: nested.attributes }, fields);
  return { ...attribute, nested_type: { ...nested, attributes } };
}

function insideOf(type: BoundType | undefined): BoundFields {
  if (type === undefined || typeof type === 'string') return {};
  return 'fields' in type ? type.fields : insideOf(type[1]);
}

function mapValues<T>(of: Record<string, T>, change: (value: T, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]));
}
