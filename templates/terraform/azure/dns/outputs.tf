output "endpoint" {
  description = "Name under which the load balancer is reached."
  value       = trimsuffix(azurerm_dns_a_record.name[var.hostname].fqdn, ".")
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => name under which the load balancer is reached."
  value       = { for name in var.alternative_names : name => trimsuffix(azurerm_dns_a_record.name[name].fqdn, ".") }
  depends_on  = [terraform_data.cutover]
}
