/** Types of expressions, by the schemas of what they name; a name that does not exist is a fault. */
import type { Expression, ForExpression, Step } from './hcl-syntax.ts';
import { unknown, type ValueType } from './value-types.ts';

export interface Scope {
  /** Type of a name such as `each`, `self` or one that a `for` binds; undefined: it is none of these. */
  readonly bound: ReadonlyMap<string, ValueType>;
  /** Type of `var.x`, `local.x`, `aws_instance.node`, `data.x.y`…; reports what does not exist. */
  readonly named: (root: string, steps: readonly Step[], line: number) => { type: ValueType; rest: readonly Step[] };
  readonly report: (line: number, message: string) => void;
}

export function bind(scope: Scope, names: Iterable<readonly [string, ValueType]>): Scope {
  return { ...scope, bound: new Map([...scope.bound, ...names]) };
}

export function infer(expression: Expression, scope: Scope): ValueType {
  switch (expression.kind) {
    case 'string':
    case 'number':
    case 'bool':
      return { kind: expression.kind };
    case 'null':
      return unknown;
    case 'template':
      for (const part of expression.parts) infer(part, scope);
      return { kind: 'string' };
    case 'tuple': {
      const types = expression.items.map((item) => infer(item, scope));
      return { kind: 'list', of: common(types) };
    }
    case 'object':
      return objectType(expression, scope);
    case 'reference': {
      const bound = scope.bound.get(expression.root);
      const start = bound
        ? { type: bound, rest: expression.steps }
        : scope.named(expression.root, expression.steps, expression.line);
      return walk(start.type, start.rest, expression.line, scope);
    }
    case 'path':
      return walk(infer(expression.base, scope), expression.steps, expression.line, scope);
    case 'call': {
      const args = expression.args.map((argument) => infer(argument, scope));
      return expression.spread ? unknown : callType(expression.name, args);
    }
    case 'conditional': {
      infer(expression.test, scope);
      return common([infer(expression.yes, scope), infer(expression.no, scope)]);
    }
    case 'operation': {
      for (const operand of expression.operands) infer(operand, scope);
      return { kind: /^[+\-*/%]$/.test(expression.operator) ? 'number' : 'bool' };
    }
    case 'for':
      return forType(expression, scope);
  }
}

/** Names that a `for` or `for_each` binds for a collection: key and element. */
export function elementsOf(collection: ValueType): { key: ValueType; value: ValueType } {
  if (collection.kind === 'map') return { key: { kind: 'string' }, value: collection.of };
  if (collection.kind === 'list') return { key: { kind: 'number' }, value: collection.of };
  if (collection.kind === 'set') return { key: collection.of, value: collection.of };
  if (collection.kind === 'object') return { key: { kind: 'string' }, value: common([...collection.fields.values()]) };
  return { key: unknown, value: unknown };
}

function walk(from: ValueType, steps: readonly Step[], line: number, scope: Scope): ValueType {
  let type = from;
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'index') infer(step.index, scope);
    if (type.kind === 'unknown') continue;
    if (step.kind === 'splat') {
      const of = type.kind === 'list' || type.kind === 'set' ? type.of : type;
      return { kind: 'list', of: walk(of, steps.slice(at + 1), line, scope) };
    }
    const name = step.kind === 'name' ? step.name : literalName(step.index);
    if (step.kind === 'name' && (type.kind === 'list' || type.kind === 'set')) {
      scope.report(line, `".${step.name}" is asked of a ${type.kind}: an index is missing`);
      return unknown;
    }
    if (step.kind === 'index' && type.kind === 'set') {
      scope.report(line, 'a set has no index: use one() or tolist()');
      return unknown;
    }
    if (type.kind === 'object') {
      const field = name === undefined ? unknown : type.fields.get(name);
      if (!field) scope.report(line, `${type.title} has no "${name}"`);
      type = field ?? unknown;
    } else if (type.kind === 'map' || type.kind === 'list') type = type.of;
    else {
      scope.report(line, `${name === undefined ? 'an index' : `".${name}"`} is asked of a ${type.kind}`);
      return unknown;
    }
  }
  return type;
}

function literalName(index: Expression): string | undefined {
  return index.kind === 'string' ? index.value : undefined;
}

function objectType(expression: Expression & { kind: 'object' }, scope: Scope): ValueType {
  const fields = new Map<string, ValueType>();
  let dynamic = false;
  for (const { key, computed, value } of expression.entries) {
    const type = infer(value, scope);
    if (computed) infer(computed, scope);
    if (key === undefined) dynamic = true;
    else fields.set(key, type);
  }
  if (dynamic) return { kind: 'map', of: unknown };
  return { kind: 'object', fields, title: 'the object' };
}

function forType(expression: ForExpression & { line: number }, scope: Scope): ValueType {
  const { key, value } = elementsOf(infer(expression.collection, scope));
  const [first = '', second] = expression.names;
  const inner = bind(
    scope,
    second
      ? [
          [first, key],
          [second, value],
        ]
      : [[first, value]],
  );
  if (expression.condition) infer(expression.condition, inner);
  if (expression.key) infer(expression.key, inner);
  const of = infer(expression.value, inner);
  if (!expression.object) return { kind: 'list', of };
  return { kind: 'map', of: expression.grouped ? { kind: 'list', of } : of };
}

function callType(name: string, args: readonly ValueType[]): ValueType {
  const first = args[0] ?? unknown;
  const strings = ['format', 'join', 'lower', 'upper', 'trimspace', 'trimsuffix', 'trimprefix', 'substr', 'replace'];
  const texts = ['base64encode', 'sha1', 'sha256', 'md5', 'jsonencode', 'cidrsubnet', 'cidrhost', 'tostring'];
  if ([...strings, ...texts].includes(name)) return { kind: 'string' };
  if (['length', 'parseint', 'tonumber', 'max', 'min', 'floor', 'ceil', 'index', 'abs'].includes(name)) {
    return { kind: 'number' };
  }
  if (['contains', 'alltrue', 'anytrue', 'can', 'startswith', 'endswith', 'tobool'].includes(name))
    return { kind: 'bool' };
  if (name === 'split') return { kind: 'list', of: { kind: 'string' } };
  if (name === 'keys') return { kind: 'list', of: { kind: 'string' } };
  if (name === 'values') return { kind: 'list', of: elementsOf(first).value };
  const elements = elementsOf(first).value;
  if (name === 'one' || name === 'element') return first.kind === 'list' || first.kind === 'set' ? elements : unknown;
  if (['tolist', 'sort', 'distinct', 'reverse', 'slice', 'compact'].includes(name))
    return { kind: 'list', of: elements };
  if (name === 'toset') return { kind: 'set', of: elements };
  if (name === 'concat') return { kind: 'list', of: common(args.map((argument) => elementsOf(argument).value)) };
  if (name === 'merge') return args.some(({ kind }) => kind === 'unknown') ? unknown : merged(args);
  return unknown;
}

function merged(args: readonly ValueType[]): ValueType {
  return { kind: 'map', of: common(args.map((argument) => elementsOf(argument).value)) };
}

/** What all of them are; unknown if they differ. */
function common(types: readonly ValueType[]): ValueType {
  const [first, ...others] = types.filter(({ kind }) => kind !== 'unknown');
  if (!first || types.some(({ kind }) => kind === 'unknown')) return first && types.length === 1 ? first : unknown;
  if (others.every(({ kind }) => kind === first.kind) && !['object', 'list', 'set', 'map'].includes(first.kind))
    return first;
  return others.length === 0 ? first : unknown;
}
