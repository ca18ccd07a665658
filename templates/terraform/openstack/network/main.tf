# Provider type openstack, network: the network and the security group of a region. Routers belong to the pools: each pool
# names the external network it hangs on, and a name that is wrong breaks that pool and no other.

terraform {
  required_version = ">= 1.6"

  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

locals {
  name = "${var.cluster_id}-${var.provider_name}-${var.region}"
  # Neutron takes tags of 60 characters.
  tags = [for key, value in var.tags : substr("${key}=${value}", 0, 60)]

  world = "0.0.0.0/0"
  peers = contains(var.peer_cidrs, local.world) ? [local.world] : distinct(var.peer_cidrs)
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known = [for cidr in var.peer_cidrs : cidr if cidr != local.world]
  users = contains(var.admin_cidrs, local.world) ? [local.world] : distinct(concat(var.admin_cidrs, local.known))
  ports = distinct(concat(
    [for role in var.roles : "${role.protocol}/${role.port}"],
    var.api_port_open ? ["tcp/6443"] : [],
  ))

  rules = { for rule in concat(
    [for pair in setproduct(var.ssh_ports, local.users) : { protocol = "tcp", port = tonumber(pair[0]), cidr = pair[1] }],
    [for cidr in local.peers : { protocol = "udp", port = var.wireguard_port, cidr = cidr }],
    [for cidr in local.peers : { protocol = "icmp", port = null, cidr = cidr }],
    [for port in local.ports : { protocol = split("/", port)[0], port = tonumber(split("/", port)[1]), cidr = local.world }],
  ) : join(" ", compact([rule.protocol, try(tostring(rule.port), ""), rule.cidr])) => rule... }
}

resource "openstack_networking_network_v2" "cluster" {
  name           = local.name
  admin_state_up = true
  tags           = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

# OpenStack gives a new group the rules that let all traffic out.
resource "openstack_networking_secgroup_v2" "cluster" {
  name        = local.name
  description = "Kubeloom ${var.installation}, cluster ${var.cluster_id}"
  tags        = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "openstack_networking_secgroup_rule_v2" "cluster" {
  for_each = { for key, rules in local.rules : key => rules[0] }

  security_group_id = openstack_networking_secgroup_v2.cluster.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = each.value.protocol
  port_range_min    = each.value.port
  port_range_max    = each.value.port
  remote_ip_prefix  = each.value.cidr
}

# Nodes of one pool dial each other under their local addresses (output of nodepool), which are in no list of peers.
resource "openstack_networking_secgroup_rule_v2" "neighbours" {
  security_group_id = openstack_networking_secgroup_v2.cluster.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "udp"
  port_range_min    = var.wireguard_port
  port_range_max    = var.wireguard_port
  remote_group_id   = openstack_networking_secgroup_v2.cluster.id
}
