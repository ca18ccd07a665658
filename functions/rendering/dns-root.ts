/** Root module of the DNS names of one load balancer. */
import type { DnsState } from '#domain/cluster-state.ts';
import type { ProviderTemplate } from './provider-template.ts';
import { emptyRoot, providerChoice, type RootModule, type StateBackend } from './root-module.ts';
import { literal } from './terraform-names.ts';

export interface DnsRootInput {
  readonly clusterId: string;
  /** Null: the names are to go. */
  readonly dns: DnsState | null;
  /** Public addresses of the load balancer's nodes. */
  readonly addresses: readonly string[];
  readonly template: ProviderTemplate;
  readonly backend: StateBackend;
  readonly installation: string;
  /** Directory of the provider type's modules, as Terraform should read it. */
  readonly modules: string;
  /** Values of module variables that come from the runner's environment. */
  readonly extra: Readonly<Record<string, string>>;
}

/** Renders it. */
export function renderDnsRoot(input: DnsRootInput): RootModule {
  const { dns, template } = input;
  const region = template.provider?.defaultRegion ?? 'global';
  const root = emptyRoot(template, [region], input.backend);
  if (dns === null) return root;
  return {
    ...root,
    module: {
      dns: {
        source: `${input.modules}/dns`,
        ...providerChoice(template, region),
        ...literal({
          installation: input.installation,
          cluster_id: input.clusterId,
          zone: dns.zone,
          hostname: dns.hostname,
          alternative_names: dns.alternativeNames,
          addresses: input.addresses,
          ...input.extra,
        }),
      },
    },
    output: {
      endpoint: { value: '${module.dns.endpoint}' },
      alternative_endpoints: { value: '${module.dns.alternative_endpoints}' },
    },
  };
}
