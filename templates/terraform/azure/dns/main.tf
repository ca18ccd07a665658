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

resource "azurerm_dns_a_record" "endpoint" {
  name                = var.hostname
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

resource "azurerm_dns_a_record" "alternative" {
  for_each = toset(var.alternative_names)

  name                = each.value
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
