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

output "firewall_tag" {
  description = "Tag of droplets to which the firewall applies."
  value       = digitalocean_tag.network.name
  # A droplet is never there before its firewall.
  depends_on = [digitalocean_firewall.network]
}
