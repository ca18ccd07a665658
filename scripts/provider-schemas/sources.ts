/** The provider types whose modules are held against a schema: where each schema comes from, and what is kept in any case. */

/** A plugin that the Go module proxy lets us build. */
export interface PluginBuild {
  readonly module: string;
  readonly version: string;
  /** Version of the released provider that this is, or is nearest to. */
  readonly release: string;
  readonly note?: string;
}

/** An npm package generated from the schema of one release. */
export interface Bindings {
  readonly package: string;
  readonly version: string;
}

export interface SchemaSource {
  /** Address of the provider. */
  readonly provider: string;
  /** Name inside Terraform: what resource types begin with. */
  readonly name: string;
  readonly build?: PluginBuild;
  readonly bindings?: Bindings;
  /** What is known of the difference to the pinned version, and where that was read. */
  readonly note?: string;
  /** Why there is no plugin to build. */
  readonly unbuilt?: string;
  /** Resource types kept in the fixture although no module uses them (yet). */
  readonly resources: readonly string[];
  readonly dataSources: readonly string[];
}

const refused = 'the Go module proxy answers 403 for its module, and a refusal is final';
const words = (prefix: string, text: string): readonly string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => `${prefix}_${word}`);

export const schemaSources: Readonly<Record<string, SchemaSource>> = {
  aws: {
    provider: 'hashicorp/aws',
    name: 'aws',
    build: {
      module: 'github.com/hashicorp/terraform-provider-aws',
      version: 'v1.60.1-0.20260602190131-5f2286d6d836',
      release: '6.47.0',
      note: 'the commit of the build (2026-06-02) is six days after the release of 6.47.0 and has what 6.48.0 was to bring so far',
    },
    bindings: { package: '@cdktf/provider-aws', version: '21.22.1' },
    resources: words(
      'aws',
      `ebs_volume eip eip_association instance internet_gateway key_pair main_route_table_association network_interface
       placement_group route route53_health_check route53_record route_table route_table_association security_group
       subnet volume_attachment vpc vpc_security_group_egress_rule vpc_security_group_ingress_rule
       default_security_group`,
    ),
    dataSources: words('aws', 'ami availability_zones caller_identity ec2_instance_type region route53_zone'),
  },
  azure: {
    provider: 'hashicorp/azurerm',
    name: 'azurerm',
    build: {
      module: 'github.com/hashicorp/terraform-provider-azurerm',
      version: 'v1.44.1-0.20260824201233-fae580791926',
      release: '5.2.0',
      note: 'the commit of the build (2026-08-24) is four days after the release of 5.2.0',
    },
    bindings: { package: '@cdktf/provider-azurerm', version: '14.23.1' },
    resources: words(
      'azurerm',
      `availability_set dns_a_record dns_cname_record linux_virtual_machine managed_disk network_interface
       network_interface_security_group_association network_security_group network_security_rule public_ip
       resource_group subnet subnet_network_security_group_association traffic_manager_external_endpoint
       traffic_manager_profile virtual_machine_data_disk_attachment virtual_machine_extension virtual_network`,
    ),
    dataSources: words('azurerm', 'client_config dns_zone platform_image resource_group subscription'),
  },
  gcp: {
    provider: 'hashicorp/google',
    name: 'google',
    build: {
      module: 'github.com/hashicorp/terraform-provider-google',
      version: 'v1.20.1-0.20260828184646-f3721fb45fa3',
      release: '8.0.0',
      note: 'the commit of the build (2026-08-28) is two days after the release of 8.0.0',
    },
    bindings: { package: '@cdktf/provider-google', version: '16.12.1' },
    resources: words(
      'google',
      `compute_address compute_attached_disk compute_disk compute_firewall compute_health_check compute_instance
       compute_network compute_route compute_subnetwork dns_record_set`,
    ),
    dataSources: words('google', 'client_config compute_image compute_zones dns_managed_zone project'),
  },
  oci: {
    provider: 'oracle/oci',
    name: 'oci',
    unbuilt: refused,
    resources: [],
    dataSources: [],
  },
  hetzner: { provider: 'hetznercloud/hcloud', name: 'hcloud', unbuilt: refused, resources: [], dataSources: [] },
  ovh: { provider: 'ovh/ovh', name: 'ovh', unbuilt: refused, resources: [], dataSources: [] },
  openstack: {
    provider: 'terraform-provider-openstack/openstack',
    name: 'openstack',
    unbuilt: refused,
    resources: [],
    dataSources: [],
  },
  exoscale: {
    provider: 'exoscale/exoscale',
    name: 'exoscale',
    note: 'CHANGELOG.md of exoscale/terraform-provider-exoscale@005de323ab77 names, of what is in use: security groups (0.69.0) and domains (0.71.0) moved to the plugin framework, domains lost token, state, auto_renew and expires_on, the provider block lost delay (0.69.3); the proxy answers 403 for v0.74.2',
    build: { module: 'github.com/exoscale/terraform-provider-exoscale', version: 'v0.68.0', release: '0.68.0' },
    resources: words(
      'exoscale',
      `anti_affinity_group block_storage_volume compute_instance domain_record elastic_ip private_network
       security_group security_group_rule ssh_key`,
    ),
    dataSources: words('exoscale', 'compute_instance domain domain_record security_group template zones'),
  },
  cloudrift: { provider: 'berops/cloudrift', name: 'cloudrift', unbuilt: refused, resources: [], dataSources: [] },
  verda: { provider: 'verda-cloud/verda', name: 'verda', unbuilt: refused, resources: [], dataSources: [] },
  digitalocean: {
    provider: 'digitalocean/digitalocean',
    name: 'digitalocean',
    unbuilt: refused,
    bindings: { package: '@cdktf/provider-digitalocean', version: '13.14.1' },
    resources: words(
      'digitalocean',
      'domain droplet firewall project project_resources record reserved_ip reserved_ip_assignment ssh_key tag volume volume_attachment vpc',
    ),
    dataSources: words('digitalocean', 'account domain image project region regions sizes'),
  },
  cloudflare: {
    provider: 'cloudflare/cloudflare',
    name: 'cloudflare',
    unbuilt:
      'the Go module proxy serves commits of 2026 now, but a build takes more than an hour of a core and more than 20 GB of disk (each of 280 packages loads all of cloudflare-go), and was not finished',
    note: 'every argument that the modules use was found in the source of 5.24.0 (v0.0.0-20260824180050-4f360d592a7d, internal/services/{dns_record,load_balancer*,zone})',
    bindings: { package: '@cdktf/provider-cloudflare', version: '13.9.1' },
    resources: words('cloudflare', 'dns_record load_balancer load_balancer_monitor load_balancer_pool'),
    dataSources: words('cloudflare', 'account zone zones'),
  },
  time: {
    provider: 'hashicorp/time',
    name: 'time',
    build: { module: 'github.com/hashicorp/terraform-provider-time', version: 'v0.14.2', release: '0.14.2' },
    resources: words('time', 'sleep static offset rotating'),
    dataSources: [],
  },
  http: {
    provider: 'hashicorp/http',
    name: 'http',
    unbuilt: 'its module path on the proxy ends at v1.2.0',
    bindings: { package: '@cdktf/provider-http', version: '10.0.1' },
    resources: [],
    dataSources: ['http'],
  },
};
