# Provider type exoscale, dns: an A record for each name and address. The keys are positions, not addresses: a node that
# is replaced changes a record in place, so that there is always one.

terraform {
  required_version = ">= 1.6"

  required_providers {
    exoscale = {
      source = "exoscale/exoscale"
    }
  }
}

data "exoscale_domain" "zone" {
  name = var.zone
}

locals {
  ttl = 300
  alternative = merge([for name in var.alternative_names : {
    for index, address in var.addresses : "${name}/${index}" => { name = name, address = address }
  }]...)
}

resource "exoscale_domain_record" "main" {
  for_each = { for index, address in var.addresses : tostring(index) => address }

  domain      = data.exoscale_domain.zone.id
  name        = var.hostname
  record_type = "A"
  content     = each.value
  ttl         = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}

resource "exoscale_domain_record" "alternative" {
  for_each = local.alternative

  domain      = data.exoscale_domain.zone.id
  name        = each.value.name
  record_type = "A"
  content     = each.value.address
  ttl         = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}
