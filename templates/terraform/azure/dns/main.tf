# Provider type azure, dns: a record set for each name, with all addresses.

terraform {
  required_version = ">= 1.6"
  required_providers {
    azurerm = { source = "hashicorp/azurerm" }
  }
}

data "azurerm_dns_zone" "zone" {
  name = trimsuffix(var.zone, ".")
}

# By name: host name and alternative name may change places, and a record set that stays is not touched.
resource "azurerm_dns_a_record" "name" {
  for_each = toset(concat([var.hostname], var.alternative_names))

  name                = each.key
  zone_name           = data.azurerm_dns_zone.zone.name
  resource_group_name = data.azurerm_dns_zone.zone.resource_group_name
  ttl                 = 300
  records             = var.addresses
  tags                = var.tags

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags["kubeloom-generation"]]
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in azurerm_dns_a_record.name : key => record.id }
}
