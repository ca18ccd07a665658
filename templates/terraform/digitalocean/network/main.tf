# Provider type digitalocean, network: a firewall for whatever carries the tag of this network. Droplets stand in the
# region's default VPC: the first VPC that an account has in a region becomes that, and cannot be removed again.

terraform {
  required_version = ">= 1.6"
  required_providers {
    digitalocean = {
      source = "digitalocean/digitalocean"
    }
  }
}

locals {
  # Two instances of one account, or two installations, may have the same names otherwise.
  name = "${var.cluster_id}-${substr(sha1("${var.installation}/${var.provider_name}"), 0, 6)}-${var.region}"

  everybody = ["0.0.0.0/0", "::/0"]
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known_peers = [for cidr in var.peer_cidrs : cidr if !contains(local.everybody, cidr)]
  ssh_cidrs   = distinct(concat(var.admin_cidrs, local.known_peers))

  ssh       = { for port in var.ssh_ports : "tcp ${port}" => { protocol = "tcp", port = port, cidrs = local.ssh_cidrs } }
  wireguard = { "udp ${var.wireguard_port}" = { protocol = "udp", port = var.wireguard_port, cidrs = var.peer_cidrs } }
  icmp      = { "icmp" = { protocol = "icmp", port = null, cidrs = var.peer_cidrs } }
  api       = { for port in var.api_port_open ? [6443] : [] : "tcp ${port}" => { protocol = "tcp", port = port, cidrs = local.everybody } }
  roles     = { for role in var.roles : "${role.protocol} ${role.port}" => { protocol = role.protocol, port = role.port, cidrs = local.everybody }... }

  # What is open to everybody wins over what is open to some.
  inbound = { for key, rule in merge(
    local.ssh, local.wireguard, local.icmp, local.api, { for key, rules in local.roles : key => rules[0] },
  ) : key => rule if length(rule.cidrs) > 0 }
}

resource "digitalocean_tag" "network" {
  name = "kubeloom-network:${local.name}"
}

# It works by tag: droplets come and go without a change here.
resource "digitalocean_firewall" "network" {
  name = local.name
  tags = [digitalocean_tag.network.name]

  dynamic "inbound_rule" {
    for_each = local.inbound
    content {
      protocol         = inbound_rule.value.protocol
      port_range       = inbound_rule.value.port == null ? null : tostring(inbound_rule.value.port)
      source_addresses = inbound_rule.value.cidrs
    }
  }

  dynamic "outbound_rule" {
    for_each = { tcp = "1-65535", udp = "1-65535", icmp = null }
    content {
      protocol              = outbound_rule.key
      port_range            = outbound_rule.value
      destination_addresses = local.everybody
    }
  }
}
