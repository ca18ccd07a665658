output "endpoint" {
  description = "The name of the load balancer, without the dot at its end."
  value       = trimsuffix(google_dns_record_set.endpoint.name, ".")
}

output "alternative_endpoints" {
  description = "Alternative name => name in the zone, without the dot at its end."
  value       = { for name, record in google_dns_record_set.alternative : name => trimsuffix(record.name, ".") }
}
