output "endpoint" {
  description = "Name under which the load balancer is reached."
  value       = trimsuffix(azurerm_dns_a_record.endpoint.fqdn, ".")
}

output "alternative_endpoints" {
  description = "Alternative name => name under which the load balancer is reached."
  value       = { for name, record in azurerm_dns_a_record.alternative : name => trimsuffix(record.fqdn, ".") }
}
