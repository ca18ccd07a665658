/** Types of values as far as a schema tells them, and which may stand for which; what is not known is never a fault. */
import type { AttributeSchema, BlockSchema, Nesting, TypeSpec } from '../schema-format.ts';

export type ValueType =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'string' | 'number' | 'bool' }
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: ValueType }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ValueType>; readonly title: string };

export const unknown: ValueType = { kind: 'unknown' };

export function typeOfSpec(spec: TypeSpec | undefined, title: string): ValueType {
  if (spec === undefined) return unknown;
  if (typeof spec === 'string') {
    return spec === 'string' || spec === 'number' || spec === 'bool' ? { kind: spec } : unknown;
  }
  if (spec[0] !== 'object') return { kind: spec[0], of: typeOfSpec(spec[1], title) };
  const fields = Object.entries(spec[1]).map(([name, type]) => [name, typeOfSpec(type, `${title}.${name}`)] as const);
  return { kind: 'object', fields: new Map(fields), title };
}

export function typeOfAttribute(attribute: AttributeSchema, title: string): ValueType {
  if (!attribute.nested_type) return typeOfSpec(attribute.type, title);
  const fields = Object.entries(attribute.nested_type.attributes).map(
    ([name, inner]) => [name, typeOfAttribute(inner, `${title}.${name}`)] as const,
  );
  return nest({ kind: 'object', fields: new Map(fields), title }, attribute.nested_type.nesting_mode);
}

/** A resource, data source or nested block as a value: its attributes and its blocks. */
export function typeOfBlock(block: BlockSchema, title: string): ValueType {
  const fields = new Map<string, ValueType>();
  for (const [name, attribute] of Object.entries(block.attributes ?? {})) {
    fields.set(name, typeOfAttribute(attribute, `${title}.${name}`));
  }
  for (const [name, inner] of Object.entries(block.block_types ?? {})) {
    fields.set(name, nest(typeOfBlock(inner.block, `${title}.${name}`), inner.nesting_mode));
  }
  return { kind: 'object', fields, title };
}

function nest(type: ValueType, nesting: Nesting): ValueType {
  return nesting === 'single' || nesting === 'group' ? type : { kind: nesting, of: type };
}

/** Why a value of `from` cannot stand where `to` is wanted; undefined if it can, or may. */
export function mismatch(from: ValueType, to: ValueType): string | undefined {
  if (from.kind === 'unknown' || to.kind === 'unknown') return undefined;
  const primitive = (type: ValueType): boolean => ['string', 'number', 'bool'].includes(type.kind);
  if (primitive(from) && primitive(to)) {
    const never = [from.kind, to.kind].includes('number') && [from.kind, to.kind].includes('bool');
    return never ? `${describe(to)} is wanted, not ${describe(from)}` : undefined;
  }
  if ((from.kind === 'list' || from.kind === 'set') && (to.kind === 'list' || to.kind === 'set')) {
    return mismatch(from.of, to.of);
  }
  if (from.kind === 'map' && to.kind === 'map') return mismatch(from.of, to.of);
  if (from.kind === 'object' && to.kind === 'map') {
    for (const [name, field] of from.fields) {
      const fault = mismatch(field, to.of);
      if (fault) return `${name}: ${fault}`;
    }
    return undefined;
  }
  if (from.kind === 'object' && to.kind === 'object') {
    for (const [name, field] of from.fields) {
      const wanted = to.fields.get(name);
      const fault = wanted && mismatch(field, wanted);
      if (fault) return `${name}: ${fault}`;
    }
    return undefined;
  }
  if (from.kind === 'map' && to.kind === 'object') return undefined;
  return `${describe(to)} is wanted, not ${describe(from)}`;
}

export function describe(type: ValueType): string {
  if (type.kind === 'unknown') return 'anything';
  if (type.kind === 'list' || type.kind === 'set' || type.kind === 'map') return `a ${type.kind}`;
  return type.kind === 'object' ? 'an object' : `a ${type.kind}`;
}
