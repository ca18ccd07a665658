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

output "region" {
  description = "Region of this network's pools."
  value       = var.region
}

output "vcn_id" {
  description = "The VCN."
  value       = oci_core_vcn.cluster.id
}

output "route_table_id" {
  description = "Routes of the pools' subnets."
  value       = oci_core_route_table.cluster.id
}

output "security_list_id" {
  description = "Security list of the pools' subnets."
  value       = oci_core_security_list.cluster.id
}

output "security_group_ids" {
  description = "Network security groups that every machine is in."
  value       = [for group in oci_core_network_security_group.purpose : group.id]
}
