/** What a provider plans and makes of a configuration, by the schema alone: what it computes is unknown until the apply. */
import { type CtyObject, type CtyType, type CtyValue, isList, isObject, isSame, Unknown } from './cty-value.ts';
import type { AttributeSchema, BlockSchema, NestedBlockSchema } from './schema-fixture.ts';

/** Names an attribute from the resource's top, e.g. `['network', '0', 'ip']`. */
export type AttributePath = readonly string[];

/** Makes up a value that the provider computes. */
export type MakeUp = (path: AttributePath, type: CtyType) => CtyValue;

type Nesting = NestedBlockSchema['nesting_mode'];
interface Walk {
  /** The planned value of one attribute; the nested ones of a value that is kept are walked. */
  readonly attribute: (schema: AttributeSchema, value: CtyValue, config: CtyValue, path: AttributePath) => CtyValue;
}

/** A resource that does not exist yet: what Terraform proposes, and unknown where the provider has the last word. */
export function plannedCreation(block: BlockSchema, config: CtyObject, proposed: CtyObject): CtyObject {
  const attribute: Walk['attribute'] = (schema, value, configured) => {
    if (schema.write_only) return null;
    return schema.computed && configured === null ? new Unknown() : value;
  };
  return walkBlock(block, proposed, config, [], { attribute });
}

/** A planned resource with everything that was unknown made up. */
export function applied(block: BlockSchema, planned: CtyObject, makeUp: MakeUp): CtyObject {
  const attribute: Walk['attribute'] = (schema, value, _config, path) =>
    value instanceof Unknown ? makeUp(path, typeOf(schema)) : value;
  return walkBlock(block, planned, planned, [], { attribute });
}

/** The top-level attributes and blocks of `replacing` in which two states of a resource differ. */
export function replacedBy(replacing: readonly string[], prior: CtyObject, planned: CtyObject): readonly string[] {
  return replacing.filter((name) => Object.hasOwn(prior, name) && !isSame(prior[name], planned[name]));
}

/** The type that a schema's attribute has, nested attributes included. */
function typeOf({ type, nested_type: nested }: AttributeSchema): CtyType {
  if (nested === undefined) return type ?? 'string';
  const inner = Object.fromEntries(Object.entries(nested.attributes).map(([name, schema]) => [name, typeOf(schema)]));
  const object = ['object', inner] as const;
  return nested.nesting_mode === 'single' ? object : [nested.nesting_mode, object];
}

function walkBlock(
  block: BlockSchema,
  value: CtyObject,
  config: CtyObject,
  path: AttributePath,
  walk: Walk,
): CtyObject {
  const nested = Object.entries(block.block_types).map(([name, { nesting_mode: mode, block: inner }]) => {
    const each = (item: CtyObject, configured: CtyObject, at: AttributePath) =>
      walkBlock(inner, item, configured, at, walk);
    return [name, walkNested(mode, value[name] ?? null, config[name] ?? null, [...path, name], each)] as const;
  });
  return { ...walkAttributes(block.attributes, value, config, path, walk), ...Object.fromEntries(nested) };
}

function walkAttributes(
  attributes: BlockSchema['attributes'],
  value: CtyObject,
  config: CtyObject,
  path: AttributePath,
  walk: Walk,
): CtyObject {
  const entries = Object.entries(attributes).map(([name, schema]) => {
    const at = [...path, name];
    const configured = config[name] ?? null;
    const kept = walk.attribute(schema, value[name] ?? null, configured, at);
    const { nested_type: nested } = schema;
    if (nested === undefined) return [name, kept] as const;
    const each = (item: CtyObject, configured: CtyObject, inner: AttributePath) =>
      walkAttributes(nested.attributes, item, configured, inner, walk);
    return [name, walkNested(nested.nesting_mode, kept, configured, at, each)] as const;
  });
  return Object.fromEntries(entries);
}

type Each = (item: CtyObject, config: CtyObject, path: AttributePath) => CtyObject;

function walkNested(mode: Nesting, value: CtyValue, config: CtyValue, path: AttributePath, each: Each): CtyValue {
  const one = (item: CtyValue, configured: CtyValue | undefined, key: readonly string[]) =>
    isObject(item) ? each(item, isObject(configured) ? configured : {}, [...path, ...key]) : item;
  switch (mode) {
    case 'single':
    case 'group':
      return one(value, config, []);
    case 'list':
    case 'set': {
      if (!isList(value)) return value;
      const configs = isList(config) ? config : [];
      return value.map((item, index) => one(item, configs[index], [String(index)]));
    }
    case 'map': {
      if (!isObject(value)) return value;
      const configs = isObject(config) ? config : {};
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item, configs[key], [key])]));
    }
    default:
      return mode satisfies never;
  }
}
