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

output "vpc_id" {
  description = "The VPC. Public addresses need its way to the internet, so what uses the VPC waits for that, and goes before it."
  value       = aws_vpc.network.id
  depends_on  = [aws_route.internet]
}

output "route_table_id" {
  description = "Route table for subnets whose machines have public addresses."
  value       = aws_route_table.public.id
}

output "security_group_ids" {
  description = "Security groups that every machine is in."
  value       = [for group in aws_security_group.traffic : group.id]
}

output "zones" {
  description = "Zones for pools that name none: those whose letter is a, b, c or d, since each needs a quarter of a pool's subnet."
  value       = sort([for zone in data.aws_availability_zones.region.names : zone if can(regex("[a-d]$", zone))])
}
