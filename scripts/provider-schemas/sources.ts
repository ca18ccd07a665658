/** Where the schema of each provider type comes from; the provider itself is what `provider.json` of the type names. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProviderTemplate } from '#rendering/provider-template.ts';

export const templatesDirectory: string = join(import.meta.dirname, '../../templates/terraform');

/** A plugin that the Go module proxy lets us build. */
export interface PluginBuild {
  readonly module: string;
  readonly version: string;
  /** Version of the released provider that this is, or is nearest to. */
  readonly release: string;
  readonly note?: string;
}

interface Origin {
  readonly build?: PluginBuild;
  /** What is known of the difference to the pinned version, and where that was read. */
  readonly note?: string;
}

export interface SchemaSource extends Origin {
  /** Address of the provider. */
  readonly provider: string;
  /** Name inside Terraform: what resource types begin with. */
  readonly name: string;
}

/** A type without an entry is read by people: `read/<type>.txt`. Why others have no `build` is in docs/conformance.md. */
const origins: Readonly<Record<string, Origin>> = {
  aws: {
    build: {
      module: 'github.com/hashicorp/terraform-provider-aws',
      version: 'v1.60.1-0.20260602190131-5f2286d6d836',
      release: '6.47.0',
      note: 'the commit of the build (2026-06-02) is six days after the release of 6.47.0 and has what 6.48.0 was to bring so far',
    },
  },
  azure: {
    build: {
      module: 'github.com/hashicorp/terraform-provider-azurerm',
      version: 'v1.44.1-0.20260824201233-fae580791926',
      release: '5.2.0',
      note: 'the commit of the build (2026-08-24) is four days after the release of 5.2.0',
    },
  },
  gcp: {
    build: {
      module: 'github.com/hashicorp/terraform-provider-google',
      version: 'v1.20.1-0.20260828184646-f3721fb45fa3',
      release: '8.0.0',
      note: 'the commit of the build (2026-08-28) is two days after the release of 8.0.0',
    },
  },
  exoscale: {
    note: 'CHANGELOG.md of exoscale/terraform-provider-exoscale@005de323ab77 names, of what is in use: security groups (0.69.0) and domains (0.71.0) moved to the plugin framework, domains lost token, state, auto_renew and expires_on, the provider block lost delay (0.69.3); the proxy answers 403 for v0.74.2',
    build: { module: 'github.com/exoscale/terraform-provider-exoscale', version: 'v0.68.0', release: '0.68.0' },
  },
};

/** Every type with a provider.json. */
export function templatesOf(directory: string): readonly (readonly [type: string, template: ProviderTemplate])[] {
  return globSync('*/provider.json', { cwd: directory })
    .sort()
    .map((file) => [dirname(file), ProviderTemplate.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')))]);
}

/** Every type whose modules use a plugin. */
export const schemaSources: Readonly<Record<string, SchemaSource>> = Object.fromEntries(
  templatesOf(templatesDirectory).flatMap(([type, { provider }]) =>
    provider ? [[type, { ...origins[type], provider: provider.source, name: provider.name }]] : [],
  ),
);
