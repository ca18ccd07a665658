# Provider type gcp, network: a VPC of the cluster's own for each provider instance and region, closed but for what the firewall rules open.

terraform {
  required_version = ">= 1.6"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

locals {
  # Names begin with a letter and have at most 63 characters: a provider and a region in full would not fit together with the cluster's id.
  prefix = replace(var.cluster_id, "/^[0-9]/", "k")
  name   = "${local.prefix}-${substr(sha1("${var.provider_name}/${var.region}"), 0, 8)}"

  # Machines have IPv4 addresses alone, and a rule cannot hold both kinds.
  world  = ["0.0.0.0/0"]
  peers  = distinct(concat([var.cidr], [for cidr in var.peer_cidrs : cidr if !strcontains(cidr, ":")]))
  admins = [for cidr in var.admin_cidrs : cidr if !strcontains(cidr, ":")]
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known   = [for cidr in local.peers : cidr if cidr != local.world[0]]
  sources = { for who, cidrs in { peers = local.peers, seekers = distinct(concat(local.admins, local.known)) } : who => contains(cidrs, local.world[0]) ? local.world : cidrs }
  ports = { for protocol in ["tcp", "udp"] : protocol => sort(distinct(concat(
    [for role in var.roles : tostring(role.port) if lower(role.protocol) == protocol],
    protocol == "tcp" && var.api_port_open ? ["6443"] : [],
  ))) }

  # A rule without sources would let anybody in, so no rule is ever made with an empty list.
  rules = merge(
    {
      ssh       = { protocol = "tcp", ports = [for port in var.ssh_ports : tostring(port)], sources = local.sources.seekers }
      wireguard = { protocol = "udp", ports = [tostring(var.wireguard_port)], sources = local.sources.peers }
      icmp      = { protocol = "icmp", ports = tolist([]), sources = local.sources.peers }
    },
    { for protocol, ports in local.ports : "public-${protocol}" => { protocol = protocol, ports = ports, sources = local.world } if length(ports) > 0 },
  )
}

resource "google_compute_network" "cluster" {
  name                    = local.name
  description             = "Kubeloom: cluster ${var.cluster_id}, provider ${var.provider_name}, region ${var.region}"
  auto_create_subnetworks = false
  routing_mode            = "REGIONAL"
}

resource "google_compute_firewall" "rule" {
  for_each = local.rules

  name          = "${local.name}-${each.key}"
  description   = "Kubeloom: ${each.key} of cluster ${var.cluster_id}"
  network       = google_compute_network.cluster.id
  direction     = "INGRESS"
  source_ranges = each.value.sources

  allow {
    protocol = each.value.protocol
    ports    = each.value.ports
  }
}
