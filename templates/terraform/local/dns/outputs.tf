output "endpoint" {
  description = "Where the load balancer is reached: an address, as there is no name server."
  value       = terraform_data.record.output.addresses[0]
}

output "alternative_endpoints" {
  description = "Alternative name => where it is reached."
  value       = { for name in terraform_data.record.output.alternative_names : name => terraform_data.record.output.addresses[0] }
}
