/** Which package of bindings tells of which provider type, and the file that each resource and data source type is in. */

export interface BridgePackage {
  /** Name at the Python package index. */
  readonly package: string;
  readonly version: string;
  /** Folder inside the archive. */
  readonly folder: string;
  readonly release: string;
  /** Type in Terraform → file of its class. */
  readonly resources: Readonly<Record<string, string>>;
  readonly dataSources: Readonly<Record<string, string>>;
  /** Differences that are right, each with its reason; one that is no longer there fails the test. */
  readonly explained: Readonly<Record<string, string>>;
}

const untold = 'not told by the package';

export const bridgePackages: Readonly<Record<string, BridgePackage>> = {
  hetzner: {
    package: 'pulumi-hcloud',
    version: '1.43.3',
    folder: 'pulumi_hcloud',
    release: untold,
    resources: {
      hcloud_ssh_key: 'ssh_key',
      hcloud_firewall: 'firewall',
      hcloud_network_subnet: 'network_subnet',
      hcloud_primary_ip: 'primary_ip',
      hcloud_server: 'server',
      hcloud_volume: 'volume',
      hcloud_volume_attachment: 'volume_attachment',
      hcloud_zone_rrset: 'zone_rrset',
      hcloud_zone_record: 'zone_record',
    },
    dataSources: { hcloud_zone: 'get_zone' },
    explained: {},
  },
  openstack: {
    package: 'pulumi-openstack',
    version: '5.5.3',
    folder: 'pulumi_openstack',
    release: untold,
    resources: {
      openstack_networking_network_v2: 'networking/network',
      openstack_networking_subnet_v2: 'networking/subnet',
      openstack_networking_router_v2: 'networking/router',
      openstack_networking_router_interface_v2: 'networking/router_interface',
      openstack_networking_secgroup_v2: 'networking/sec_group',
      openstack_networking_secgroup_rule_v2: 'networking/sec_group_rule',
      openstack_networking_port_v2: 'networking/port',
      openstack_networking_floatingip_v2: 'networking/floating_ip',
      openstack_networking_floatingip_associate_v2: 'networking/floating_ip_associate',
      openstack_compute_keypair_v2: 'compute/keypair',
      openstack_compute_instance_v2: 'compute/instance',
      openstack_compute_volume_attach_v2: 'compute/volume_attach',
      openstack_blockstorage_volume_v3: 'blockstorage/volume',
    },
    dataSources: {
      openstack_images_image_v2: 'images/get_image',
      openstack_images_image_ids_v2: 'images/get_image_ids',
      openstack_blockstorage_availability_zones_v3: 'blockstorage/get_availability_zones_v3',
      openstack_networking_network_v2: 'networking/get_network',
    },
    explained: {
      'openstack_networking_floatingip_v2.pool: it is optional':
        'required in Terraform, with OS_POOL_NAME of the environment as its default; the bridge counts that as optional',
    },
  },
  oci: {
    package: 'pulumi-oci',
    version: '5.5.0',
    folder: 'pulumi_oci',
    release: untold,
    resources: {
      oci_core_vcn: 'core/vcn',
      oci_core_internet_gateway: 'core/internet_gateway',
      oci_core_route_table: 'core/route_table',
      oci_core_security_list: 'core/security_list',
      oci_core_network_security_group: 'core/network_security_group',
      oci_core_network_security_group_security_rule: 'core/network_security_group_security_rule',
      oci_core_subnet: 'core/subnet',
      oci_core_instance: 'core/instance',
      oci_core_volume: 'core/volume',
      oci_core_volume_attachment: 'core/volume_attachment',
      oci_dns_rrset: 'dns/rrset',
      oci_dns_steering_policy: 'dns/steering_policy',
      oci_dns_steering_policy_attachment: 'dns/steering_policy_attachment',
      oci_health_checks_ping_monitor: 'healthchecks/ping_monitor',
    },
    dataSources: {
      oci_identity_availability_domains: 'identity/get_availability_domains',
      oci_dns_zones: 'dns/get_zones',
    },
    explained: {},
  },
  ovh: {
    package: 'pulumi-ovh',
    version: '2.22.0',
    folder: 'pulumi_ovh',
    release: 'of the same number, as OVHcloud numbers its package like its provider',
    resources: {
      ovh_cloud_ssh_key: 'cloud_ssh_key',
      ovh_cloud_security_group: 'cloud_security_group',
      ovh_cloud_storage_block_volume: 'cloud_storage_block_volume',
      ovh_cloud_instance: 'cloud_instance',
      ovh_domain_zone_record: 'domain/zone_record',
    },
    dataSources: {
      ovh_cloud_project_region: 'cloudproject/get_region',
      ovh_cloud_instance_images: 'get_cloud_instance_images',
      ovh_cloud_instance_flavors: 'get_cloud_instance_flavors',
      ovh_domain_zone: 'domain/get_zone',
    },
    explained: {
      'data.ovh_domain_zone.urn: there is no urn': 'there it is zoneUrn, since urn is a word of the bridge itself',
    },
  },
};
