/** Every module and every provider block is as the schema of the real provider wants it; no plugin, no Terraform. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { providerTypeNames, providerTypes } from '#domain/provider-types.ts';
import { committedSchemas, faultsOfType } from '../../scripts/provider-schemas/check/check-types.ts';
import { templatesDirectory } from '../../scripts/provider-schemas/make-fixture.ts';
import { moduleDirectories } from '../../scripts/provider-schemas/used-types.ts';

const types = readdirSync(templatesDirectory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const schemas = committedSchemas();

describe('the modules of provider type', () => {
  it.each(types)('%s name only what the provider has, with the types it wants', (type) => {
    expect(faultsOfType(type, schemas)).toEqual([]);
  });

  it('there are modules for what the table of types promises', () => {
    const promised = providerTypeNames.filter((type) => type !== 'sim');
    const parts = promised.flatMap((type) => [
      ...(providerTypes[type].nodes ? [`${type}/network`, `${type}/nodepool`] : []),
      ...(providerTypes[type].dns ? [`${type}/dns`] : []),
    ]);
    const there = new Set(types.flatMap((type) => moduleDirectories(templatesDirectory, type)));
    expect(parts.filter((part) => !there.has(`${templatesDirectory}/${part}`))).toEqual([]);
  });
});
