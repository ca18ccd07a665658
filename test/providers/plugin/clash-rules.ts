/** What a cloud keeps unique: the ONE table, a line for each resource type that the modules use. */

export interface ClashRule {
  /** Where two may not be the same. */
  readonly within: 'account' | 'region';
  /** Attributes that together may not be there twice. Lists are the same when they have an element in common. */
  readonly by: readonly string[];
  /** How the cloud's own API says it. */
  readonly says: string;
}

export interface RangeRule {
  /** Attribute with the address range or ranges. */
  readonly range: string;
  /** What the ranges have to lie in, and may not overlap in: its type, its range, and its attributes by those of the resource. */
  readonly parent: { readonly type: string; readonly range: string; readonly by: Readonly<Record<string, string>> };
  readonly says: string;
}

/** The first of a type in an account's region becomes the default of the region, which the cloud never unsets. */
export const keptFirst: Readonly<Record<string, string>> = {
  digitalocean_vpc: '403: Can not delete default VPCs',
};

const account = (says: string, ...by: string[]): ClashRule => ({ within: 'account', by, says });
const region = (says: string, ...by: string[]): ClashRule => ({ within: 'region', by, says });

/** The cloud takes any number that look the same. */
const free: readonly ClashRule[] = [];

const named = 'name is already used, uniqueness_error';
const exists = 'A resource with the ID already exists';
const inGroup = [account(exists, 'resource_group_name', 'name')];
const google = 'Error 409: The resource already exists, alreadyExists';
const duplicateRule = 'InvalidPermission.Duplicate: the specified rule already exists';
const ruleAttributes = ['security_group_id', 'ip_protocol', 'from_port', 'to_port', 'cidr_ipv4'] as const;

const large: Readonly<Record<string, readonly ClashRule[]>> = {
  aws_default_security_group: [region('a VPC has one default group', 'vpc_id')],
  aws_ebs_volume: free,
  aws_eip: free,
  aws_eip_association: [region('Resource.AlreadyAssociated', 'allocation_id')],
  aws_instance: free,
  aws_internet_gateway: [region('Resource.AlreadyAssociated: the VPC has a gateway', 'vpc_id')],
  aws_key_pair: [region('InvalidKeyPair.Duplicate: The keypair already exists', 'key_name')],
  aws_route: [region('RouteAlreadyExists', 'route_table_id', 'destination_cidr_block')],
  aws_route53_health_check: free,
  aws_route53_record: [account('InvalidChangeBatch: it already exists', 'zone_id', 'name', 'type', 'set_identifier')],
  aws_route_table: free,
  aws_route_table_association: [region('Resource.AlreadyAssociated', 'subnet_id')],
  aws_security_group: [region('InvalidGroup.Duplicate: The security group already exists', 'vpc_id', 'name')],
  aws_subnet: free,
  aws_volume_attachment: [
    region('InvalidParameterValue: Invalid value for unixDevice: already in use', 'instance_id', 'device_name'),
    region('VolumeInUse', 'volume_id'),
  ],
  aws_vpc: free,
  aws_vpc_security_group_egress_rule: [region(duplicateRule, ...ruleAttributes)],
  aws_vpc_security_group_ingress_rule: [region(duplicateRule, ...ruleAttributes)],
  azurerm_dns_a_record: [account(exists, 'resource_group_name', 'zone_name', 'name')],
  azurerm_linux_virtual_machine: inGroup,
  azurerm_managed_disk: inGroup,
  azurerm_network_interface: inGroup,
  azurerm_network_security_group: inGroup,
  azurerm_network_security_rule: [
    account(exists, 'resource_group_name', 'network_security_group_name', 'name'),
    account(
      'SecurityRuleConflict: rules cannot have the same Priority and Direction',
      ...['resource_group_name', 'network_security_group_name', 'priority', 'direction'],
    ),
  ],
  azurerm_public_ip: inGroup,
  azurerm_resource_group: [account(exists, 'name')],
  azurerm_subnet: [account(exists, 'resource_group_name', 'virtual_network_name', 'name')],
  azurerm_subnet_network_security_group_association: [account(exists, 'subnet_id')],
  azurerm_virtual_machine_data_disk_attachment: [account('AttachDiskWhileLunInUse', 'virtual_machine_id', 'lun')],
  azurerm_virtual_network: inGroup,
  google_compute_address: [region(google, 'name')],
  google_compute_attached_disk: [account(google, 'instance', 'device_name')],
  google_compute_disk: [account(google, 'zone', 'name')],
  google_compute_firewall: [account(google, 'name')],
  google_compute_health_check: [account(google, 'name')],
  google_compute_instance: [account(google, 'zone', 'name')],
  google_compute_network: [account(google, 'name')],
  google_compute_subnetwork: [region(google, 'name')],
  google_dns_record_set: [account(google, 'managed_zone', 'name', 'type')],
  oci_core_instance: free,
  oci_core_internet_gateway: [region('409-LimitExceeded: the VCN has an internet gateway', 'vcn_id')],
  oci_core_network_security_group: free,
  oci_core_network_security_group_security_rule: free,
  oci_core_route_table: free,
  oci_core_security_list: free,
  oci_core_subnet: free,
  oci_core_vcn: free,
  oci_core_volume: free,
  oci_core_volume_attachment: [region('409-Conflict: the volume is attached', 'volume_id')],
  // The service would overwrite the other one without a word, and lose both when either goes.
  oci_dns_rrset: [account('409-Conflict: the record set exists', 'zone_name_or_id', 'domain', 'rtype')],
  oci_dns_steering_policy: free,
  oci_dns_steering_policy_attachment: [account('409-Conflict: the domain has a policy', 'zone_id', 'domain_name')],
  oci_health_checks_ping_monitor: free,
};

const small: Readonly<Record<string, readonly ClashRule[]>> = {
  cloudflare_dns_record: [account('81058: An identical record already exists.', 'zone_id', 'name', 'type', 'content')],
  cloudflare_load_balancer: [account('1005: name already exists', 'zone_id', 'name')],
  cloudflare_load_balancer_monitor: free,
  cloudflare_load_balancer_pool: [account('1005: name already exists', 'account_id', 'name')],
  cloudrift_ssh_key: [account('ssh key name already exists', 'name')],
  cloudrift_virtual_machine: free,
  digitalocean_droplet: free,
  digitalocean_firewall: [account('409: duplicate name', 'name')],
  digitalocean_record: [account('422: record exists', 'domain', 'type', 'name', 'value')],
  digitalocean_ssh_key: [account('422: SSH Key is already in use on your account', 'public_key')],
  digitalocean_tag: [account('422: tag exists', 'name')],
  digitalocean_volume: [region('409: a volume with the same name exists', 'name')],
  digitalocean_volume_attachment: [account('422: volume is already attached', 'volume_id')],
  digitalocean_vpc: [account('409: the VPC name is taken', 'name')],
  exoscale_block_storage_volume: free,
  exoscale_compute_instance: free,
  exoscale_domain_record: [account('409: record exists', 'domain', 'name', 'record_type', 'content')],
  exoscale_security_group: [account('409: a security group with this name exists', 'name')],
  exoscale_security_group_rule: [
    account(
      '409: rule exists',
      'security_group_id',
      'type',
      'protocol',
      'start_port',
      'cidr',
      'user_security_group_id',
    ),
    // It looks for what it has just made among all rules of the group, and takes a source that one of two lacks for equal.
    account(
      'the plugin cannot know which of two rules it created',
      'security_group_id',
      'protocol',
      'start_port',
      'description',
    ),
  ],
  exoscale_ssh_key: [account('409: an SSH key with this name exists', 'name')],
  hcloud_firewall: [account(named, 'name')],
  hcloud_server: [account(named, 'name')],
  hcloud_ssh_key: [account(named, 'name'), account('SSH key not unique, uniqueness_error', 'public_key')],
  hcloud_volume: [account(named, 'name')],
  hcloud_volume_attachment: [account('volume_already_attached', 'volume_id')],
  hcloud_zone_rrset: [account(named, 'zone', 'name', 'type')],
  openstack_blockstorage_volume_v3: free,
  openstack_compute_instance_v2: free,
  openstack_compute_keypair_v2: [region('409 Key pair already exists', 'name')],
  openstack_compute_volume_attach_v2: [region('400 volume is in use', 'volume_id')],
  openstack_networking_floatingip_associate_v2: [
    region('409 floating IP is associated', 'floating_ip'),
    region('409 port has a floating IP', 'port_id'),
  ],
  openstack_networking_floatingip_v2: free,
  openstack_networking_network_v2: free,
  openstack_networking_port_v2: free,
  openstack_networking_router_interface_v2: [region('400 router already has a port on subnet', 'subnet_id')],
  openstack_networking_router_v2: free,
  openstack_networking_secgroup_rule_v2: [
    region(
      '409 SecurityGroupRuleExists',
      ...['security_group_id', 'direction', 'ethertype', 'protocol', 'port_range_min', 'port_range_max'],
      ...['remote_ip_prefix', 'remote_group_id'],
    ),
  ],
  openstack_networking_secgroup_v2: free,
  openstack_networking_subnet_v2: free,
  ovh_cloud_instance: free,
  ovh_cloud_security_group: [region('409: security group exists', 'service_name', 'name')],
  ovh_cloud_ssh_key: [account('409: SSH key already exists', 'service_name', 'name')],
  ovh_cloud_storage_block_volume: free,
  ovh_domain_zone_record: [account('400: record already exists', 'zone', 'subdomain', 'fieldtype', 'target')],
  verda_instance: free,
  verda_ssh_key: [account('ssh key name exists', 'name')],
  verda_startup_script: [account('script name exists', 'name')],
  verda_volume: free,
};

const toy: Readonly<Record<string, readonly ClashRule[]>> = {
  toy_key: [account('name is already used', 'name')],
  toy_network: [region('name is already used', 'name')],
  toy_machine: [account('name is already used', 'name')],
  toy_record: [account('record exists', 'zone', 'name', 'address')],
};

export const clashRules: Readonly<Record<string, readonly ClashRule[]>> = { ...large, ...small, ...toy };

export const rangeRules: Readonly<Record<string, RangeRule>> = {
  aws_subnet: {
    range: 'cidr_block',
    parent: { type: 'aws_vpc', range: 'cidr_block', by: { id: 'vpc_id' } },
    says: 'InvalidSubnet.Conflict: the CIDR conflicts with another subnet or its VPC',
  },
  azurerm_subnet: {
    range: 'address_prefixes',
    parent: {
      type: 'azurerm_virtual_network',
      range: 'address_space',
      by: { resource_group_name: 'resource_group_name', name: 'virtual_network_name' },
    },
    says: 'NetcfgSubnetRangesOverlap',
  },
  google_compute_subnetwork: {
    range: 'ip_cidr_range',
    parent: { type: 'google_compute_network', range: '', by: { id: 'network' } },
    says: 'Error 400: Invalid IPCidrRange: conflicts with existing subnetwork',
  },
  oci_core_subnet: {
    range: 'cidr_block',
    parent: { type: 'oci_core_vcn', range: 'cidr_blocks', by: { id: 'vcn_id' } },
    says: '400-InvalidParameter: the CIDR overlaps or is not within the VCN',
  },
  openstack_networking_subnet_v2: {
    range: 'cidr',
    parent: { type: 'openstack_networking_network_v2', range: '', by: { id: 'network_id' } },
    says: '400 Requested subnet overlaps with another subnet',
  },
  toy_subnet: {
    range: 'range',
    parent: { type: 'toy_network', range: 'range', by: { id: 'network_id' } },
    says: 'subnet overlaps',
  },
};
