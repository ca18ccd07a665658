output "installation" {
  description = "Name of this Kubeloom installation."
  value       = var.installation
}

output "cluster_id" {
  description = "Id of the cluster."
  value       = var.cluster_id
}

output "provider_name" {
  description = "Name of the provider instance."
  value       = var.provider_name
}

output "location" {
  description = "The region as Azure itself calls it."
  value       = azurerm_resource_group.region.location
}

output "resource_group_name" {
  description = "Resource group that everything of the region is in."
  value       = azurerm_resource_group.region.name
}

output "virtual_network_name" {
  description = "Virtual network for the pools' subnets."
  value       = azurerm_virtual_network.network.name
}

output "security_group_id" {
  description = "Security group for the pools' subnets."
  value       = azurerm_network_security_group.network.id
}

output "zones" {
  description = "Zones for pools that name none; empty where the region has no zones."
  value       = sort(distinct(data.azurerm_location.region.zone_mappings[*].logical_zone))
}
