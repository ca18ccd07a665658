/** Nothing of a provider type is left out of the tests with a real Terraform. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clashRules } from './plugin/clash-rules.ts';
import { replacingAttributes } from './plugin/replacing-attributes.ts';
import { cloudTypes, providerCases } from './provider-cases.ts';

describe('provider types', () => {
  test('all provider types have modules and the schema of their real provider', () => {
    expect(providerCases.map(({ type }) => type)).toEqual(cloudTypes);
  });

  test('the simulated cloud knows what must be unique in each resource of the modules', () => {
    const used = providerCases.flatMap(({ modules }) => resourcesIn(modules));
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((type) => !Object.hasOwn(clashRules, type))).toEqual([]);
  });

  test('the arguments that replace a resource are all in the schemas', () => {
    const schemas = Object.assign(
      {},
      ...providerCases.flatMap(({ fixtures }) => fixtures.map(({ schema }) => schema.resource_schemas)),
    );
    const unknown = Object.entries(replacingAttributes).flatMap(([type, names]) => {
      const block = schemas[type]?.block;
      if (block === undefined) return type.startsWith('toy_') ? [] : [type];
      return names
        .filter((name) => !(name in block.attributes) && !(name in block.block_types))
        .map((name) => `${type}.${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

/** Types of the resources that the modules below a directory declare; those of Terraform itself do not count. */
function resourcesIn(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tf'));
  const text = files.map((file) => readFileSync(join(directory, file), 'utf8')).join('\n');
  const found = [...text.matchAll(/^resource "([a-z0-9_]+)"/gm)].map(([, type = '']) => type);
  return [...new Set(found)].filter((type) => !type.startsWith('terraform_'));
}
