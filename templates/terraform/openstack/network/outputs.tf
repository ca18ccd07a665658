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

output "network_id" {
  description = "The network that the subnets of all pools of the region lie in."
  value       = openstack_networking_network_v2.cluster.id
}

output "security_group_id" {
  description = "The security group of all machines of the region."
  value       = openstack_networking_secgroup_v2.cluster.id
}

output "wireguard_port" {
  description = "WireGuard's UDP port."
  value       = var.wireguard_port
}
