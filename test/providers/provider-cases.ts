/** The provider types whose modules are tested: their files, the schema of the real provider, and words that their clouds know. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type ProviderTypeFacts,
  type ProviderTypeName,
  providerTypeNames,
  providerTypes,
} from '#domain/provider-types.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { readSchemaFixture, type SchemaFixture } from './plugin/schema-fixture.ts';

/** Words of a cloud for where and what. */
export interface Place {
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

const places: Readonly<Partial<Record<ProviderTypeName, Partial<Place>>>> = {
  aws: { regions: ['eu-central-1', 'us-east-1'], serverType: 't3.medium', image: 'ami-0123456789abcdef0' },
  azure: {
    regions: ['West Europe', 'North Europe'],
    serverType: 'Standard_B2s',
    image: 'Canonical:ubuntu-24_04-lts:server:24.04.202502210',
  },
  gcp: {
    regions: ['europe-west1', 'us-central1'],
    serverType: 'e2-medium',
    image: 'ubuntu-2404-noble-amd64-v20250624',
    zone: 'example-zone',
  },
  oci: {
    regions: ['eu-frankfurt-1', 'eu-milan-1'],
    serverType: 'VM.Standard2.1',
    image: 'ocid1.image.oc1.eu-frankfurt-1.aaaa',
  },
  hetzner: { regions: ['fsn1', 'nbg1'], serverType: 'cpx22', image: 'ubuntu-24.04' },
  exoscale: {
    regions: ['ch-gva-2', 'de-fra-1'],
    serverType: 'standard.medium',
    image: 'Linux Ubuntu 24.04 LTS 64-bit',
  },
  ovh: { regions: ['GRA11', 'DE1'], serverType: 'b2-7' },
  digitalocean: { regions: ['fra1', 'ams3'], serverType: 's-2vcpu-4gb', image: 'ubuntu-24-04-x64' },
  verda: { regions: ['FIN-01', 'ICE-01'], serverType: 'CPU.4V.16G', image: 'ubuntu-24.04' },
  cloudrift: { regions: ['us-east-nc-nr-1', 'us-west-1'], image: 'Ubuntu 22.04 Server (NVidia)' },
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
    ...{ type, template, nodes, dns, source: provider.source, modules: fileURLToPath(directory) },
    fixtures: names.map((name) => readSchemaFixture(new URL(`${name}.json`, schemas))),
    place: { ...ordinary, ...places[type] },
  };
});
