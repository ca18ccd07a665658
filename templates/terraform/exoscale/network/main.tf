# Provider type exoscale, network: a security group for the machines, and one without machines whose external sources are
# the cluster's own nodes. Rules name that group, so nodes that come and go change its sources and no rule.

terraform {
  required_version = ">= 1.6"

  required_providers {
    exoscale = {
      source = "exoscale/exoscale"
    }
  }
}

locals {
  name        = "${var.cluster_id}-${var.provider_name}-${var.region}"
  description = "Kubeloom ${var.installation}, cluster ${var.cluster_id}"

  ports = distinct(concat(
    [for role in var.roles : "${role.protocol}-${role.port}"],
    var.api_port_open ? ["tcp-6443"] : [],
  ))

  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  everybody   = contains(var.peer_cidrs, "0.0.0.0/0")
  known_peers = [for cidr in var.peer_cidrs : cidr if cidr != "0.0.0.0/0"]

  # port null: ICMP echo. cidr null: the cluster's own nodes.
  rules = merge(
    merge([for port in var.ssh_ports : merge(
      { for cidr in distinct(concat(var.admin_cidrs, local.everybody ? local.known_peers : [])) : "ssh-${port}-${cidr}" => { protocol = "TCP", port = port, cidr = cidr } },
      { for group in local.everybody ? [] : ["nodes"] : "ssh-${port}-${group}" => { protocol = "TCP", port = port, cidr = null } },
    )]...),
    {
      wireguard = { protocol = "UDP", port = var.wireguard_port, cidr = null }
      icmp      = { protocol = "ICMP", port = null, cidr = null }
    },
    { for port in local.ports : "public-${port}" => {
      protocol = upper(split("-", port)[0])
      port     = tonumber(split("-", port)[1])
      cidr     = "0.0.0.0/0"
    } },
  )
}

resource "exoscale_security_group" "cluster" {
  name        = local.name
  description = local.description
}

resource "exoscale_security_group" "nodes" {
  name             = "${local.name}-nodes"
  description      = "${local.description}: its nodes as sources of traffic"
  external_sources = distinct(var.peer_cidrs)
}

# Outgoing traffic is free as long as no rule mentions it. The plugin finds the id of a new rule by what the rule says, while
# others are being made: without a description of its own, two rules for one port may get the id of one.
resource "exoscale_security_group_rule" "cluster" {
  for_each = local.rules

  security_group_id      = exoscale_security_group.cluster.id
  description            = each.key
  type                   = "INGRESS"
  protocol               = each.value.protocol
  start_port             = each.value.port
  end_port               = each.value.port
  icmp_type              = each.value.protocol == "ICMP" ? 8 : null
  icmp_code              = each.value.protocol == "ICMP" ? 0 : null
  cidr                   = each.value.cidr
  user_security_group_id = each.value.cidr == null ? exoscale_security_group.nodes.id : null
}
