output "endpoint" {
  description = "The name of the load balancer, without the dot at its end."
  value       = trimsuffix(google_dns_record_set.name[var.hostname].name, ".")
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => name in the zone, without the dot at its end."
  value       = { for name in var.alternative_names : name => trimsuffix(google_dns_record_set.name[name].name, ".") }
  depends_on  = [terraform_data.cutover]
}
