/** Root module of the DNS names of one load balancer. */
import type { DnsState } from '#domain/cluster-state.ts';
import type { ProviderTemplate } from './provider-template.ts';
import { emptyRoot, providerChoice, type RootModule, type StateBackend, secretArguments } from './root-module.ts';
import { type TagSource, tagsOf } from './tags.ts';
import { literal, modulesPath } from './terraform-names.ts';

export interface DnsRootInput extends TagSource {
  readonly dns: DnsState;
  /** The names will be deleted. */
  readonly gone: boolean;
  /** Public addresses of the load balancer's nodes. */
  readonly addresses: readonly string[];
  /** TCP port of the health check of a node of the load balancer; null when it has none. */
  readonly healthCheckPort: number | null;
  readonly template: ProviderTemplate;
  readonly backend: StateBackend;
  /** Directory of the provider type's modules, as Terraform should read it. */
  readonly modules: string;
  /** Values of module variables that come from the runner's environment. */
  readonly extra: Readonly<Record<string, string>>;
}

/** Renders it. Names that go stay as a call with `count = 0`, as dropped pools do. */
export function renderDnsRoot(input: DnsRootInput): RootModule {
  const { dns, gone, template } = input;
  const region = template.provider?.defaultRegion ?? 'global';
  const root = emptyRoot(template, [region], input.backend);
  const call = {
    source: `${modulesPath(input.modules, dns.provider.templates)}/dns`,
    ...providerChoice(template, region),
    ...secretArguments(template),
    ...literal({
      installation: input.installation,
      cluster_id: input.clusterId,
      zone: dns.zone,
      hostname: dns.hostname,
      alternative_names: dns.alternativeNames,
      // Nodes may share an address, where their cloud maps ports.
      addresses: [...new Set(input.addresses)],
      health_check_port: input.healthCheckPort,
      tags: tagsOf(input),
      ...input.extra,
    }),
  };
  if (gone) return { ...root, module: { dns: { ...call, count: 0 } } };
  return {
    ...root,
    module: { dns: call },
    output: {
      endpoint: { value: '${module.dns.endpoint}' },
      alternative_endpoints: { value: '${module.dns.alternative_endpoints}' },
    },
  };
}
