# Provider type oci, network: a VCN with its way out, and network security groups that say who may come in.

terraform {
  required_version = ">= 1.6"
  required_providers {
    oci = {
      source = "oracle/oci"
    }
  }
}

locals {
  name  = "${var.cluster_id}-${var.provider_name}-${var.region}"
  world = ["0.0.0.0/0"]

  # Protocols have the numbers of IANA.
  protocols = { icmp = "1", tcp = "6", udp = "17" }

  # Machines have IPv4 addresses alone.
  admins = [for cidr in var.admin_cidrs : cidr if !strcontains(cidr, ":")]
  peers  = distinct(concat([var.cidr], [for cidr in var.peer_cidrs : cidr if !strcontains(cidr, ":")]))
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  seekers = distinct(concat(local.admins, [for cidr in local.peers : cidr if cidr != "0.0.0.0/0"]))

  # A group holds 120 rules, and each names one source. In a cluster with more nodes WireGuard is guarded by its keys alone, and
  # SSH is for administrators: nodes do not need it among themselves.
  limit   = 120
  knowing = contains(local.peers, "0.0.0.0/0") || length(local.peers) > local.limit ? local.world : local.peers
  few     = length(local.seekers) * length(var.ssh_ports) <= local.limit ? local.seekers : distinct(concat(local.admins, [var.cidr]))
  ssh     = contains(local.seekers, "0.0.0.0/0") ? local.world : local.few

  public = distinct(concat(
    [for role in var.roles : { protocol = lower(role.protocol), port = role.port }],
    var.api_port_open ? [{ protocol = "tcp", port = 6443 }] : [],
  ))

  # Each purpose has a group of its own, so that none gets full for another's sake.
  rules = {
    ssh       = flatten([for port in var.ssh_ports : [for source in local.ssh : { protocol = "tcp", port = port, source = source }]])
    wireguard = [for source in local.knowing : { protocol = "udp", port = var.wireguard_port, source = source }]
    icmp      = [for source in local.knowing : { protocol = "icmp", port = 0, source = source }]
    public    = [for opening in local.public : { protocol = opening.protocol, port = opening.port, source = "0.0.0.0/0" }]
  }
  ingress = merge([for group, rules in local.rules : { for rule in rules : "${group} ${rule.protocol} ${rule.port} ${rule.source}" => merge(rule, { group = group }) }]...)
}

resource "oci_core_vcn" "cluster" {
  compartment_id = var.compartment_id
  display_name   = local.name
  cidr_blocks    = [var.cidr]
  freeform_tags  = var.tags

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_core_internet_gateway" "cluster" {
  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.cluster.id
  display_name   = local.name
  enabled        = true
  freeform_tags  = var.tags

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_core_route_table" "cluster" {
  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.cluster.id
  display_name   = local.name
  freeform_tags  = var.tags

  route_rules {
    destination       = "0.0.0.0/0"
    destination_type  = "CIDR_BLOCK"
    network_entity_id = oci_core_internet_gateway.cluster.id
  }

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

# Security lists add to the groups. This one stands in for the VCN's own, which lets SSH in from anywhere: everything may go out, and
# routers may report what size of packet they can carry.
resource "oci_core_security_list" "cluster" {
  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.cluster.id
  display_name   = local.name
  freeform_tags  = var.tags

  egress_security_rules {
    protocol         = "all"
    destination      = "0.0.0.0/0"
    destination_type = "CIDR_BLOCK"
  }

  ingress_security_rules {
    protocol    = "1" # ICMP. As a number, so that policy scanners see that this opens no port.
    source      = "0.0.0.0/0"
    source_type = "CIDR_BLOCK"

    icmp_options {
      type = 3
      code = 4
    }
  }

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_core_network_security_group" "purpose" {
  for_each = toset(keys(local.rules))

  compartment_id = var.compartment_id
  vcn_id         = oci_core_vcn.cluster.id
  display_name   = "${local.name}-${each.key}"
  freeform_tags  = var.tags

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_core_network_security_group_security_rule" "ingress" {
  # checkov:skip=CKV_OCI_21:Without connection tracking the answers to what nodes ask outside would need all high ports open
  for_each = local.ingress

  network_security_group_id = oci_core_network_security_group.purpose[each.value.group].id
  direction                 = "INGRESS"
  protocol                  = local.protocols[each.value.protocol]
  source                    = each.value.source
  source_type               = "CIDR_BLOCK"
  description               = each.value.group

  dynamic "tcp_options" {
    for_each = each.value.protocol == "tcp" ? [each.value.port] : []
    content {
      destination_port_range {
        min = tcp_options.value
        max = tcp_options.value
      }
    }
  }

  dynamic "udp_options" {
    for_each = each.value.protocol == "udp" ? [each.value.port] : []
    content {
      destination_port_range {
        min = udp_options.value
        max = udp_options.value
      }
    }
  }
}
