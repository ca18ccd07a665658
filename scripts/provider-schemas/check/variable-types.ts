/** Type of a `variable` block, from its type constraint. */
import type { Body, Expression } from './hcl-syntax.ts';
import { unknown, type ValueType } from './value-types.ts';

export function typeOfConstraint(body: Body, title: string): ValueType {
  const type = body.attributes.find(({ name }) => name === 'type')?.value;
  return type ? read(type, title) : unknown;
}

function read(type: Expression, title: string): ValueType {
  if (type.kind === 'reference') {
    const { root } = type;
    return root === 'string' || root === 'number' || root === 'bool' ? { kind: root } : unknown;
  }
  if (type.kind !== 'call') return unknown;
  const [first] = type.args;
  if (!first) return unknown;
  if (type.name === 'optional') return read(first, title);
  if (type.name === 'list' || type.name === 'set' || type.name === 'map')
    return { kind: type.name, of: read(first, title) };
  if (type.name !== 'object' || first.kind !== 'object') return unknown;
  const fields = first.entries.map(({ key = '', value }) => [key, read(value, `${title}.${key}`)] as const);
  return { kind: 'object', fields: new Map(fields), title };
}
