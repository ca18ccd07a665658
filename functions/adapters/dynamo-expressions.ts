/** Expressions of DynamoDB that set and remove attributes; names are written as `#name`, values as `:name`. */
import type { Condition, Item } from './dynamo-table.ts';

/** Sets what has a value and removes what has none. */
export function assigned(values: Item): Condition {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const absent = Object.keys(values).filter((name) => values[name] === undefined);
  const parts = [
    ...(Object.keys(given).length > 0 ? [assignments(given)] : []),
    ...(absent.length > 0 ? [`REMOVE ${absent.map((name) => `#${name}`).join(', ')}`] : []),
  ];
  return { expression: parts.join(' '), values: attributeNames(given) };
}

/** `SET #a = :a, #b = :b` */
export function assignments(values: Item): string {
  const pairs = Object.keys(values).map((name) => `#${name} = :${name}`);
  return `SET ${pairs.join(', ')}`;
}

/** `{ ":a": a }` */
export function attributeNames(values: Item): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
}
