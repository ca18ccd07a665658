output "endpoint" {
  description = "The name of the load balancer."
  value       = oci_dns_rrset.name[var.hostname].domain
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => name in the zone."
  value       = { for name in var.alternative_names : name => oci_dns_rrset.name[name].domain }
  depends_on  = [terraform_data.cutover]
}
