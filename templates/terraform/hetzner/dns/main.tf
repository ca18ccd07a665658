# Provider type hetzner, dns: a set of A records for each name in a zone of Hetzner DNS.

terraform {
  required_version = ">= 1.6"

  required_providers {
    hcloud = {
      source = "hetznercloud/hcloud"
    }
  }
}

data "hcloud_zone" "zone" {
  name = var.zone
}

locals {
  ttl       = 300
  addresses = sort(var.addresses)
}

resource "hcloud_zone_rrset" "main" {
  zone    = data.hcloud_zone.zone.name
  name    = var.hostname
  type    = "A"
  ttl     = local.ttl
  records = [for address in local.addresses : { value = address }]
  labels  = var.tags

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [labels["kubeloom-generation"]]
  }
}

resource "hcloud_zone_rrset" "alternative" {
  for_each = toset(var.alternative_names)

  zone    = data.hcloud_zone.zone.name
  name    = each.key
  type    = "A"
  ttl     = local.ttl
  records = [for address in local.addresses : { value = address }]
  labels  = var.tags

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [labels["kubeloom-generation"]]
  }
}
