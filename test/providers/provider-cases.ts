/** The provider types whose modules are tested: their files, the schema of the real provider, and words that their clouds know. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSampleWords } from '#cli/provider-kit/trial-roots.ts';
import {
  type ProviderTypeFacts,
  type ProviderTypeName,
  providerTypeNames,
  providerTypes,
} from '#domain/provider-types.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { readSchemaFixture, type SchemaFixture } from './plugin/schema-fixture.ts';

/** Words of a cloud for where and what; `mocks/pool.json` next to the modules has those that are not ordinary. */
interface Place {
  readonly regions: readonly [string, string];
  readonly serverType: string;
  readonly image: string;
  /** DNS zone, as manifests name it. */
  readonly zone: string;
}

export interface ProviderCase {
  readonly type: ProviderTypeName;
  /** Source address of the Terraform provider. */
  readonly source: string;
  readonly template: ProviderTemplate;
  /** Directory with `network`, `nodepool`, `dns`. */
  readonly modules: string;
  readonly fixtures: readonly SchemaFixture[];
  readonly nodes: boolean;
  readonly dns: boolean;
  readonly place: Place;
}

const templates = new URL('../../templates/terraform/', import.meta.url);
const schemas = new URL('schemas/', import.meta.url);

/** Types whose Secret is needed: the others call no cloud. */
export const cloudTypes: readonly ProviderTypeName[] = providerTypeNames.filter((type) => {
  const { secret, secretOptional = false }: ProviderTypeFacts = providerTypes[type];
  return secret.length > 0 && !secretOptional;
});

const ordinary: Place = {
  regions: ['region-one', 'region-two'],
  serverType: 'small',
  image: 'Ubuntu 24.04',
  zone: 'example.com',
};

/** Those of them that have modules and a schema. */
export const providerCases: readonly ProviderCase[] = cloudTypes.flatMap((type) => {
  const directory = new URL(`${type}/`, templates);
  const settings = new URL('provider.json', directory);
  if (!existsSync(settings) || !existsSync(new URL(`${type}.json`, schemas))) return [];
  const template = ProviderTemplate.parse(JSON.parse(readFileSync(settings, 'utf8')));
  const { provider, alsoRequired } = template;
  if (provider === undefined) return [];
  const { nodes, dns } = providerTypes[type];
  const names = [type, ...Object.keys(alsoRequired)];
  return {
    type,
    template,
    nodes,
    dns,
    source: provider.source,
    modules: fileURLToPath(directory),
    fixtures: names.map((name) => readSchemaFixture(new URL(`${name}.json`, schemas))),
    place: { ...ordinary, ...readSampleWords(fileURLToPath(directory)) },
  };
});
