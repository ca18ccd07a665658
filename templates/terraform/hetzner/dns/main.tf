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

# By name: host name and alternative name may change places, and a set that stays is not touched.
resource "hcloud_zone_rrset" "name" {
  for_each = toset(concat([var.hostname], var.alternative_names))

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

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in hcloud_zone_rrset.name : key => record.id }
}
