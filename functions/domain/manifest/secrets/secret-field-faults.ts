/** Validates the fields of a Secret for a use: exactly one complete way to log in. No text ever contains a value. */
import { nearest } from '../../nearest.ts';
import type { SecretField } from '../../provider-types.ts';
import { error, type Fault } from '../faults/fault.ts';
import { purposeOf, type SecretUse, secretWaysFor } from './secret-uses.ts';

export type SecretValues = Readonly<Record<string, string>>;

/** The most likely way to log in: the one with most fields present, then with the fewest missing. */
export function wayOf(values: SecretValues, use: SecretUse): readonly SecretField[] {
  const all = secretWaysFor(use);
  const spare = Object.keys(values).filter((name) => !all.flat().some((field) => field.name === name));
  const ways = all.map((fields) => ({ fields, ...likeness(values, fields, spare) }));
  // Without any field, the usual way is reported as missing.
  const rank = (way: { named: number; missing: number }) => (way.named === 0 ? 0 : way.missing);
  const [best] = ways.sort((one, other) => other.named - one.named || rank(one) - rank(other));
  return best?.fields ?? [];
}

/** The faults of the fields; the runner asks this again with the values it fetched. */
export function secretFieldFaults(
  values: SecretValues,
  use: SecretUse,
  part: (name: string) => string = () => 'stringData',
): readonly Fault[] {
  const way = wayOf(values, use);
  const others = secretWaysFor(use).flat();
  const isKnown = (name: string, fields: readonly SecretField[]) => fields.some((field) => field.name === name);
  const spare = Object.keys(values).filter((name) => !isKnown(name, others));
  const mixed = Object.keys(values).filter((name) => !isKnown(name, way) && isKnown(name, others));
  return [
    ...way.flatMap((field) =>
      faultOf(field, fieldValue(values, field.name), { use, spare, path: [part(field.name), field.name] }),
    ),
    ...mixed.map((name) =>
      error(
        [part(name), name],
        `belongs to another login method than ${wordsOf(way, values)}`,
        'a Secret contains the fields of one login method: remove this field, or the others',
      ),
    ),
  ];
}

interface Place {
  readonly use: SecretUse;
  /** Unknown fields: one of them may be the missing one, misspelt. */
  readonly spare: readonly string[];
  readonly path: readonly string[];
}

function faultOf(field: SecretField, value: string | undefined, { use, spare, path }: Place): Fault[] {
  const purpose = purposeOf(use);
  if (value === '' && field.required) {
    return [error(path, `is empty, ${purpose} needs it`, `give it: ${field.format}`)];
  }
  if (value === undefined || value === '') {
    const near = value === undefined ? nearest(field.name, spare) : undefined;
    if (!field.required && near === undefined) return [];
    const fix = near === undefined ? `add it: ${field.format}` : `rename the field "${near}" if you meant that`;
    return [error(path, `is missing, ${purpose} needs it`, fix)];
  }
  if (field.accepts(value)) return [];
  return [error(path, `is not what ${purpose} needs`, `it must be ${field.format}; the value is not shown`)];
}

/** A field that is empty or misspelt also shows which way was meant. */
function likeness(
  values: SecretValues,
  fields: readonly SecretField[],
  spare: readonly string[],
): { named: number; missing: number } {
  const isNamed = ({ name }: SecretField) => Object.hasOwn(values, name) || nearest(name, spare) !== undefined;
  return {
    named: fields.filter(isNamed).length,
    missing: fields.filter((field) => field.required && !fieldValue(values, field.name)).length,
  };
}

function fieldValue(values: SecretValues, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function wordsOf(way: readonly SecretField[], values: SecretValues): string {
  return way
    .map(({ name }) => name)
    .filter((name) => Object.hasOwn(values, name))
    .join(', ');
}
