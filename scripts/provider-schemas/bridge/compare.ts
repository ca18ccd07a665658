/**
 * Holds a schema that people read out of documentation against bindings that a program made of the real one: every argument and
 * attribute is there, of the same type, as much required; and nothing that is required there is missing here.
 */
import type { AttributeSchema, BlockSchema, BlockTypeSchema, ProviderSchema, TypeSpec } from '../schema-format.ts';
import type { Bindings, BoundField, BoundFields, BoundType } from './bridge-format.ts';
import { boundName, bridgeName, isMany, manyBlocks } from './bridge-names.ts';

/** Where a block is: what the bridge does to `id`, `name` and `timeouts` happens at the top alone. */
type Place = 'resource' | 'data' | 'provider' | 'inner';

/** One sentence for each difference. */
export function differences(schema: ProviderSchema, bindings: Bindings): readonly string[] {
  const of = (
    blocks: Readonly<Record<string, BlockSchema>>,
    bound: Readonly<Record<string, BoundFields>>,
    place: Place,
    prefix = '',
  ): string[] =>
    Object.entries(blocks).flatMap(([type, block]) => {
      const fields = bound[type];
      return fields ? blockDifferences(`${prefix}${type}`, block, fields, place) : [`${prefix}${type}: not bound`];
    });
  return [
    ...blockDifferences('provider', schema.provider, bindings.provider, 'provider'),
    ...of(schema.resource_schemas, bindings.resources, 'resource'),
    ...of(schema.data_source_schemas, bindings.dataSources, 'data', 'data.'),
  ];
}

function blockDifferences(path: string, block: BlockSchema, fields: BoundFields, place: Place): string[] {
  const attributes = Object.entries(block.attributes ?? {});
  const blocks = Object.entries(block.block_types ?? {});
  const known = new Set<string>();
  const found: string[] = [];
  const hold = (name: string, many: boolean, compare: (field: BoundField, at: string) => string[]): void => {
    // Every resource has an id, which the bridge keeps apart.
    if (place === 'resource' && (name === 'id' || name === 'timeouts')) return;
    if (place === 'data' && name === 'timeouts') return;
    const bound = boundName(name, many, block);
    known.add(bound);
    const field = fields[bound];
    found.push(...(field ? compare(field, `${path}.${name}`) : [`${path}.${name}: there is no ${bound}`]));
  };
  for (const [name, attribute] of attributes) {
    hold(name, isMany(attribute), (field, at) => [
      ...typeDifferences(at, attribute.type, field.type),
      ...nestedDifferences(at, attribute, field),
      ...presenceDifferences(at, attribute, field, place),
    ]);
  }
  for (const [name, inner] of blocks) {
    hold(name, manyBlocks(inner), (field, at) => blockTypeDifferences(at, inner, field));
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.input === 'required' && !known.has(name)) found.push(`${path}: ${name} is required, and not known here`);
  }
  return found;
}

function presenceDifferences(at: string, attribute: AttributeSchema, field: BoundField, place: Place): string[] {
  const settable = attribute.required || attribute.optional;
  // Inside blocks the bridge lets everything be set.
  if (!settable) return field.input && place !== 'inner' ? [`${at}: it can be set`] : [];
  // The id of a data source that Terraform's own SDK adds.
  if (place === 'data' && at.endsWith('.id') && attribute.computed && !field.input) return [];
  if (!field.input) return [`${at}: it cannot be set`];
  // The bridge makes up names of what has to have one.
  const named = place === 'resource' && at.endsWith('.name') && attribute.type === 'string';
  const required = field.input === 'required';
  const found: string[] = [];
  if (attribute.required && !required && !named) found.push(`${at}: it is optional`);
  if (!attribute.required && required) found.push(`${at}: it is required`);
  if (place === 'inner' || place === 'provider') return found;
  if (attribute.computed && field.output === 'maybe') found.push(`${at}: it is not computed`);
  if (place === 'resource' && Boolean(attribute.sensitive) !== Boolean(field.secret))
    found.push(`${at}: it is ${field.secret ? '' : 'not '}sensitive`);
  return found;
}

function typeDifferences(at: string, wanted: TypeSpec | undefined, bound: BoundType): string[] {
  if (wanted === undefined || wanted === 'dynamic') return [];
  return isWithin(fromSpec(wanted), bound)
    ? []
    : [`${at}: it is ${typeText(bound)}, not ${typeText(fromSpec(wanted))}`];
}

function nestedDifferences(at: string, attribute: AttributeSchema, field: BoundField): string[] {
  const nested = attribute.nested_type;
  if (!nested) return [];
  const block = { attributes: nested.attributes };
  const mode = nested.nesting_mode;
  return insideDifferences(at, mode === 'single' ? 'one' : mode === 'map' ? 'map' : 'list', block, field.type);
}

function blockTypeDifferences(at: string, inner: BlockTypeSchema, field: BoundField): string[] {
  const found = insideDifferences(at, manyBlocks(inner) ? 'list' : 'one', inner.block, field.type);
  const required = (inner.min_items ?? 0) > 0;
  if (required && field.input !== 'required') found.push(`${at}: it is optional`);
  if (!required && field.input === 'required') found.push(`${at}: it is required`);
  return found;
}

function insideDifferences(at: string, mode: 'one' | 'list' | 'map', block: BlockSchema, bound: BoundType): string[] {
  const item = typeof bound === 'object' && !('fields' in bound) ? bound : undefined;
  const object = mode === 'one' ? bound : item?.[0] === mode ? item[1] : undefined;
  if (typeof object !== 'object' || !('fields' in object)) {
    return [`${at}: it is ${typeText(bound)}, not ${mode === 'one' ? 'one object' : `a ${mode} of objects`}`];
  }
  return blockDifferences(at, block, object.fields, 'inner');
}

function fromSpec(type: TypeSpec): BoundType {
  if (typeof type === 'string') return type;
  if (type[0] === 'object') {
    const fields = Object.entries(type[1]).map(([name, of]) => {
      const many = typeof of === 'object' && (of[0] === 'list' || of[0] === 'set');
      return [bridgeName(name, many, new Set()), { type: fromSpec(of) }] as const;
    });
    return { fields: Object.fromEntries(fields) };
  }
  return [type[0] === 'map' ? 'map' : 'list', fromSpec(type[1])];
}

/** Objects may have more fields than were read. */
function isWithin(wanted: BoundType, bound: BoundType): boolean {
  if (typeof wanted === 'string' || typeof bound === 'string') return wanted === bound;
  if ('fields' in wanted) {
    if (!('fields' in bound)) return false;
    return Object.entries(wanted.fields).every(([name, { type }]) => {
      const field = bound.fields[name];
      return field !== undefined && isWithin(type, field.type);
    });
  }
  return !('fields' in bound) && wanted[0] === bound[0] && isWithin(wanted[1], bound[1]);
}

function typeText(type: BoundType): string {
  if (typeof type === 'string') return type;
  if (!('fields' in type)) return `${type[0]}(${typeText(type[1])})`;
  const fields = Object.entries(type.fields).map(([name, field]) => `${name} ${typeText(field.type)}`);
  return `{${fields.sort().join(', ')}}`;
}
