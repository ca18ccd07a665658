output "endpoint" {
  description = "Name under which the load balancer is reached."
  value       = aws_route53_record.endpoint["0"].fqdn
}

output "alternative_endpoints" {
  description = "Alternative name => name under which the load balancer is reached."
  value       = { for name in var.alternative_names : name => aws_route53_record.alternative["${name}/0"].fqdn }
}
