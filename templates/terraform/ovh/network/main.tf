# Provider type ovh, network: the security group of a region. Machines have public addresses only.

terraform {
  required_version = ">= 1.6"

  required_providers {
    ovh = {
      source = "ovh/ovh"
    }
  }
}

locals {
  world = "0.0.0.0/0"
  peers = contains(var.peer_cidrs, local.world) ? [local.world] : distinct(var.peer_cidrs)
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known = [for cidr in var.peer_cidrs : cidr if cidr != local.world]
  users = contains(var.admin_cidrs, local.world) ? [local.world] : distinct(concat(var.admin_cidrs, local.known))
  ports = distinct(concat(
    [for role in var.roles : "${role.protocol}/${role.port}"],
    var.api_port_open ? ["tcp/6443"] : [],
  ))

  rules = concat(
    [for pair in setproduct(var.ssh_ports, local.users) : { protocol = "TCP", port = tonumber(pair[0]), cidr = pair[1] }],
    [for cidr in local.peers : { protocol = "UDP", port = var.wireguard_port, cidr = cidr }],
    [for cidr in local.peers : { protocol = "ICMP", port = null, cidr = cidr }],
    [for port in local.ports : { protocol = upper(split("/", port)[0]), port = tonumber(split("/", port)[1]), cidr = local.world }],
  )
}

# OVHcloud adds the rules that let all traffic out. IPv6 is not mentioned: none comes in.
resource "ovh_cloud_security_group" "cluster" {
  service_name = var.service_name
  region       = var.region
  name         = "${var.cluster_id}-${var.provider_name}-${var.region}"
  description  = "Kubeloom ${var.installation}, cluster ${var.cluster_id}"

  rule = length(local.rules) == 0 ? null : [for rule in local.rules : {
    direction        = "INGRESS"
    ethernet_type    = "IPV4"
    protocol         = rule.protocol
    port_range_min   = rule.port
    port_range_max   = rule.port
    remote_ip_prefix = rule.cidr
  }]
}
