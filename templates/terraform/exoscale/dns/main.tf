# Provider type exoscale, dns: an A record for each name and address.

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
  # Keyed by name and address: a record that stays is not touched when another one comes or goes.
  records = { for pair in setproduct(concat([var.hostname], var.alternative_names), var.addresses) :
    "${pair[0]} ${pair[1]}" => { name = pair[0], address = pair[1] }
  }
}

resource "exoscale_domain_record" "name" {
  for_each = local.records

  domain      = data.exoscale_domain.zone.id
  name        = each.value.name
  record_type = "A"
  content     = each.value.address
  ttl         = local.ttl

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in exoscale_domain_record.name : key => record.id }
}
