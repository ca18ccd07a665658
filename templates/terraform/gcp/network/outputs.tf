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

output "prefix" {
  description = "What names of the cluster's things begin with: its id, with a letter in the first place."
  value       = local.prefix
}

output "network_id" {
  description = "The VPC."
  value       = google_compute_network.cluster.id
}
