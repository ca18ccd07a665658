output "endpoint" {
  description = "Name under which the load balancer is reached."
  value       = aws_route53_record.name["${var.hostname}/0"].fqdn
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => name under which the load balancer is reached."
  value       = { for name in var.alternative_names : name => aws_route53_record.name["${name}/0"].fqdn }
  depends_on  = [terraform_data.cutover]
}
