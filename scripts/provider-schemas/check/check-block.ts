/** Holds one block against its schema: names, required fields, blocks or attributes, types. */
import type { AttributeSchema, BlockSchema } from '../schema-format.ts';
import type { Block, Body, Expression } from './hcl-syntax.ts';
import { bind, elementsOf, infer, type Scope } from './infer.ts';
import { mismatch, typeOfAttribute, type ValueType } from './value-types.ts';

export interface BlockCheck {
  readonly body: Body;
  readonly schema: BlockSchema;
  /** How the block is called in a fault: `aws_instance.node`, then `.root_block_device`. */
  readonly title: string;
  readonly line: number;
  readonly scope: Scope;
  /** Names that Terraform itself gives a meaning, such as `count`. */
  readonly meta?: ReadonlySet<string>;
}

export function checkBlock({ body, schema, title, line, scope, meta = new Set() }: BlockCheck): void {
  const attributes = schema.attributes ?? {};
  const blocks = schema.block_types ?? {};
  const written = new Map<string, { count: number; dynamic: boolean }>();
  for (const { name, line: at, value } of body.attributes) {
    if (meta.has(name)) continue;
    const attribute = attributes[name];
    if (attribute) checkAttribute(attribute, value, { name, title, line: at, scope });
    else if (blocks[name]) scope.report(at, `${title}: "${name}" is a block: write it without "="`);
    else scope.report(at, `${title}: there is no argument "${name}"${nearest(name, Object.keys(attributes))}`);
    written.set(name, { count: 1, dynamic: false });
  }
  for (const block of body.blocks) {
    if (meta.has(block.type)) continue;
    const { name, content, inner } = unfold(block, scope);
    const known = written.get(name);
    written.set(name, { count: (known?.count ?? 0) + 1, dynamic: known?.dynamic || block.type === 'dynamic' });
    const type = blocks[name];
    const object = attributes[name] ? objectOf(typeOfAttribute(attributes[name], `${title}.${name}`)) : undefined;
    const deeper = { title: `${title}.${name}`, line: block.line, scope: inner };
    if (type) checkBlock({ ...deeper, body: content, schema: type.block });
    else if (object) checkObjectBlock(content, object, deeper);
    else if (attributes[name]) scope.report(block.line, `${title}: "${name}" is an argument: write it with "="`);
    else scope.report(block.line, `${title}: there is no block "${name}"${nearest(name, Object.keys(blocks))}`);
  }
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.required && !written.has(name)) scope.report(line, `${title}: the argument "${name}" is required`);
  }
  for (const [name, { min_items = 0, max_items }] of Object.entries(blocks)) {
    const { count, dynamic } = written.get(name) ?? { count: 0, dynamic: false };
    if (count < min_items && !dynamic) scope.report(line, `${title}: the block "${name}" is required`);
    if (max_items && count > max_items && !dynamic) {
      scope.report(
        line,
        `${title}: the block "${name}" may be there ${max_items} time${max_items > 1 ? 's' : ''} only`,
      );
    }
  }
}

/** `dynamic "x" { for_each = …, content { … } }` as the block x. */
function unfold(block: Block, scope: Scope): { name: string; content: Body; inner: Scope } {
  if (block.type !== 'dynamic') return { name: block.type, content: block.body, inner: scope };
  const name = block.labels[0] ?? '';
  const attribute = (wanted: string): Expression | undefined =>
    block.body.attributes.find((candidate) => candidate.name === wanted)?.value;
  const collection = attribute('for_each');
  const iterator = attribute('iterator');
  if (!collection) scope.report(block.line, `dynamic "${name}" has no for_each`);
  const { key, value } = elementsOf(collection ? infer(collection, scope) : { kind: 'unknown' });
  const element: ValueType = {
    kind: 'object',
    fields: new Map([
      ['key', key],
      ['value', value],
    ]),
    title: `the iterator of dynamic "${name}"`,
  };
  const content = block.body.blocks.find(({ type }) => type === 'content');
  if (!content) scope.report(block.line, `dynamic "${name}" has no content`);
  const bound = iterator?.kind === 'reference' ? iterator.root : name;
  return { name, content: content?.body ?? { attributes: [], blocks: [] }, inner: bind(scope, [[bound, element]]) };
}

interface Where {
  readonly name: string;
  readonly title: string;
  readonly line: number;
  readonly scope: Scope;
}

function checkAttribute(attribute: AttributeSchema, value: Expression, { name, title, line, scope }: Where): void {
  if (!attribute.required && !attribute.optional) {
    scope.report(line, `${title}: "${name}" is for reading only`);
  }
  const said = infer(value, scope);
  const wanted = typeOfAttribute(attribute, `${title}.${name}`);
  const fault = literalFault(value, wanted) ?? mismatch(said, wanted);
  if (fault) scope.report(line, `${title}: ${name}: ${fault}`);
  if (attribute.nested_type) checkNested(attribute.nested_type, value, { name, title, line, scope });
}

function checkNested(nested: NonNullable<AttributeSchema['nested_type']>, value: Expression, where: Where): void {
  const objects =
    value.kind === 'tuple'
      ? value.items
      : value.kind === 'for'
        ? [value.value]
        : value.kind === 'object'
          ? [value]
          : [];
  const maps = nested.nesting_mode === 'map';
  for (const object of objects) {
    if (object.kind !== 'object' || maps) continue;
    const title = `${where.title}.${where.name}`;
    const names = new Set(object.entries.map(({ key }) => key));
    for (const { key, value: inner } of object.entries) {
      if (key === undefined) continue;
      const attribute = nested.attributes[key];
      if (!attribute) where.scope.report(inner.line, `${title}: there is no argument "${key}"`);
      else {
        const fault = literalFault(inner, typeOfAttribute(attribute, `${title}.${key}`));
        if (fault) where.scope.report(inner.line, `${title}: ${key}: ${fault}`);
        if (attribute.nested_type) checkNested(attribute.nested_type, inner, { ...where, title, name: key });
      }
    }
    for (const [key, attribute] of Object.entries(nested.attributes)) {
      if (attribute.required && !names.has(key)) {
        where.scope.report(object.line, `${title}: the argument "${key}" is required`);
      }
    }
  }
}

/** Lists of objects may be written as blocks. */
function checkObjectBlock(body: Body, object: ValueType & { kind: 'object' }, where: Omit<Where, 'name'>): void {
  for (const { name, line, value } of body.attributes) {
    const field = object.fields.get(name);
    if (!field) where.scope.report(line, `${where.title}: there is no argument "${name}"`);
    const said = infer(value, where.scope);
    const fault = field && (literalFault(value, field) ?? mismatch(said, field));
    if (fault) where.scope.report(line, `${where.title}: ${name}: ${fault}`);
  }
}

function objectOf(type: ValueType): (ValueType & { kind: 'object' }) | undefined {
  const inner = type.kind === 'list' || type.kind === 'set' ? type.of : undefined;
  return inner?.kind === 'object' ? inner : undefined;
}

/** Plain text that can be no number or truth value. */
function literalFault(value: Expression, wanted: ValueType): string | undefined {
  if (value.kind !== 'string') return undefined;
  if (wanted.kind === 'number' && (value.value.trim() === '' || Number.isNaN(Number(value.value)))) {
    return `a number is wanted, not "${value.value}"`;
  }
  if (wanted.kind === 'bool' && !['true', 'false'].includes(value.value))
    return `a bool is wanted, not "${value.value}"`;
  return undefined;
}

function nearest(name: string, candidates: readonly string[]): string {
  const plain = (text: string): string => text.replace(/[_-]/g, '').replace(/s$/, '');
  const found = candidates.find((candidate) => plain(candidate) === plain(name));
  return found ? `; there is "${found}"` : '';
}
