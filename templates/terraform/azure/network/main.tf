# Provider type azure, network: a resource group that holds everything of the region, and its virtual network.

terraform {
  required_version = ">= 1.6"
  required_providers {
    azurerm = { source = "hashicorp/azurerm" }
  }
}

locals {
  # The name that Azure itself goes by: "West Europe" and westeurope are one region.
  location = replace(lower(var.region), " ", "")
}

data "azurerm_location" "region" {
  location = local.location
}

resource "azurerm_resource_group" "region" {
  name     = "${var.cluster_id}-${var.provider_name}-${replace(lower(var.region), " ", "-")}"
  location = local.location
  tags     = var.tags

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "azurerm_virtual_network" "network" {
  name                = var.cluster_id
  resource_group_name = azurerm_resource_group.region.name
  location            = azurerm_resource_group.region.location
  address_space       = [var.cidr]
  tags                = var.tags

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}
