# Provider type hetzner, network: one firewall. Machines have public addresses only: a private network would bring nothing to
# a cluster whose nodes meet in WireGuard, and Hetzner's firewall does not filter it.

terraform {
  required_version = ">= 1.6"

  required_providers {
    hcloud = {
      source = "hetznercloud/hcloud"
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

  wanted = concat(
    [for port in var.ssh_ports : { protocol = "tcp", port = tostring(port), sources = local.users, description = "SSH" }],
    [
      { protocol = "udp", port = tostring(var.wireguard_port), sources = local.peers, description = "WireGuard" },
      { protocol = "icmp", port = null, sources = local.peers, description = "ICMP" },
    ],
    [for port in local.ports : { protocol = split("/", port)[0], port = split("/", port)[1], sources = [local.world], description = "public" }],
  )

  # A rule names at most 100 networks, and one that names none is refused.
  rules = flatten([for rule in local.wanted : [for part in chunklist(rule.sources, 100) : merge(rule, { sources = part })]])
}

# Outgoing traffic is free as long as no rule mentions it.
resource "hcloud_firewall" "cluster" {
  name   = "${var.cluster_id}-${var.provider_name}-${var.region}"
  labels = var.tags

  dynamic "rule" {
    for_each = local.rules

    content {
      direction   = "in"
      protocol    = rule.value.protocol
      port        = rule.value.port
      source_ips  = rule.value.sources
      description = rule.value.description
    }
  }

  lifecycle {
    ignore_changes = [labels["kubeloom-generation"]]
  }
}
