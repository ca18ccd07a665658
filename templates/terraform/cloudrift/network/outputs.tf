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

output "ssh_ports" {
  description = "SSH ports inside the machines."
  value       = var.ssh_ports
}

output "wireguard_port" {
  description = "WireGuard port inside the machines."
  value       = var.wireguard_port
}
