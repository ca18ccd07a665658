# Provider type ovh, dns: an A record for each name and address. The keys are positions, not addresses: a node that is
# replaced changes a record in place, so that there is always one.

terraform {
  required_version = ">= 1.6"

  required_providers {
    ovh = {
      source = "ovh/ovh"
    }
  }
}

data "ovh_domain_zone" "zone" {
  name = var.zone
}

locals {
  ttl = 60
  alternative = merge([for name in var.alternative_names : {
    for index, address in var.addresses : "${name}/${index}" => { name = name, address = address }
  }]...)
}

resource "ovh_domain_zone_record" "main" {
  for_each = { for index, address in var.addresses : tostring(index) => address }

  zone      = data.ovh_domain_zone.zone.name
  subdomain = var.hostname
  fieldtype = "A"
  target    = each.value
  ttl       = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}

resource "ovh_domain_zone_record" "alternative" {
  for_each = local.alternative

  zone      = data.ovh_domain_zone.zone.name
  subdomain = each.value.name
  fieldtype = "A"
  target    = each.value.address
  ttl       = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}
