/** Terraform's type expressions: read, written, and compared with what is given. */
import { describe, expect, it } from 'vitest';
import { misfit, readTerraformType, typeName } from '#cli/provider-kit/terraform-type.ts';

describe('type expressions', () => {
  it.each([
    'string',
    'map(list(set(number)))',
    'tuple([string, bool])',
    'object({ a = string, b = optional(object({ c = any })) })',
  ])('the type expression %s is read and written as it is', (text) => {
    expect(typeName(readTerraformType(`\${${text}}`))).toBe(text);
  });

  it('a type expression may have comments, quotes, colons, trailing commas and defaults', () => {
    const text = 'object({\n  # why\n  "a": string,\n  b = optional(list(string), ["x", { y = (1) }]),\n})';

    expect(typeName(readTerraformType(text))).toBe('object({ a = string, b = optional(list(string)) })');
  });

  it.each([
    ['strin', /"strin" is not a type/],
    ['list(string', /ends too early/],
    ['string)', /follows the end of the type/],
    ['object({ a string })', /"string" found, "=" or ":" expected/],
  ])('the type expression %s is refused', (text, says) => {
    expect(() => readTerraformType(text)).toThrow(says);
  });
});

describe('assignability', () => {
  const judged = (given: string, wanted: string) => misfit(readTerraformType(given), readTerraformType(wanted));

  it.each([
    ['list(string)', 'set(string)'],
    ['list(string)', 'any'],
    ['object({ a = string, b = number })', 'object({ a = string })'],
    ['object({ a = optional(string) })', 'object({ a = optional(string), z = optional(bool) })'],
  ])('a value of type %s fits %s', (given, wanted) => {
    expect(judged(given, wanted)).toBeUndefined();
  });

  it.each([
    ['number', 'string', /it is number, not string/],
    ['list(object({ a = string }))', 'list(object({ a = number }))', /\[\*\]\.a is string, not number/],
    ['object({ a = string })', 'object({ b = string })', /b is not given at all/],
    ['object({ a = optional(string) })', 'object({ a = string })', /a may be missing/],
    ['map(string)', 'list(string)', /map\(string\), not list\(string\)/],
  ])('a value of type %s does not fit %s', (given, wanted, says) => {
    expect(judged(given, wanted)).toMatch(says);
  });
});
