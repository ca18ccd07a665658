/** The schemas of the committed fixtures, and the check of all modules of one provider type against them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { fixtureFile, templatesDirectory } from '../make-fixture.ts';
import type { SchemaFixture } from '../schema-format.ts';
import { schemaSources } from '../sources.ts';
import { moduleDirectories } from '../used-types.ts';
import { checkModule, faultText, type Schemas } from './check-module.ts';
import { checkProviderBlock } from './check-provider-block.ts';

export function readFixture(type: string): SchemaFixture {
  return JSON.parse(readFileSync(fixtureFile(type), 'utf8')) as SchemaFixture;
}

/** By the name of the provider inside Terraform. */
export function committedSchemas(): Schemas {
  return new Map(Object.entries(schemaSources).map(([type, { name }]) => [name, readFixture(type).schema]));
}

/** Faults of the modules and of the provider block of a type, one sentence each, with file and line. */
export function faultsOfType(type: string, schemas: Schemas): readonly string[] {
  const faults = moduleDirectories(templatesDirectory, type).flatMap((directory) => checkModule(directory, schemas));
  const file = join(templatesDirectory, type, 'provider.json');
  const { provider } = existsSync(file) ? ProviderTemplate.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  const schema = provider && schemas.get(provider.name);
  if (provider && !schema) return [...faults.map(faultText), `${file}: there is no fixture of ${provider.source}`];
  const ofBlock = provider && schema ? checkProviderBlock(provider, schema.provider) : [];
  return [...faults.map(faultText), ...ofBlock.map((fault) => `${file}: ${fault}`)];
}
