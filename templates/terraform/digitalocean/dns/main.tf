# Provider type digitalocean, dns: an A record for each name and address.

terraform {
  required_version = ">= 1.6"
  required_providers {
    digitalocean = {
      source = "digitalocean/digitalocean"
    }
  }
}

locals {
  # Keyed by name and address: a record that stays is not touched when another one comes or goes.
  records = { for pair in setproduct(concat([var.hostname], var.alternative_names), var.addresses) :
    "${pair[0]} ${pair[1]}" => { name = pair[0], address = pair[1] }
  }
}

data "digitalocean_domain" "zone" {
  name = var.zone
}

resource "digitalocean_record" "name" {
  for_each = local.records

  domain = data.digitalocean_domain.zone.name
  type   = "A"
  name   = each.value.name
  value  = each.value.address
  ttl    = 300

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in digitalocean_record.name : key => record.id }
}
