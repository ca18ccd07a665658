output "endpoint" {
  description = "The name of the load balancer."
  value       = oci_dns_rrset.endpoint.domain
}

output "alternative_endpoints" {
  description = "Alternative name => name in the zone."
  value       = { for name, record in oci_dns_rrset.alternative : name => record.domain }
}
