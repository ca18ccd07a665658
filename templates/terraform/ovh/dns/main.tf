# Provider type ovh, dns: an A record for each name and address.

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
  # Keyed by name and address: a record that stays is not touched when another one comes or goes.
  records = { for pair in setproduct(concat([var.hostname], var.alternative_names), var.addresses) :
    "${pair[0]} ${pair[1]}" => { name = pair[0], address = pair[1] }
  }
}

resource "ovh_domain_zone_record" "name" {
  for_each = local.records

  zone      = data.ovh_domain_zone.zone.name
  subdomain = each.value.name
  fieldtype = "A"
  target    = each.value.address
  ttl       = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in ovh_domain_zone_record.name : key => record.id }
}
