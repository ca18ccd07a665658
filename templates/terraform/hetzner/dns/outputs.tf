output "endpoint" {
  description = "Name under which the load balancer is reached."
  value       = "${var.hostname}.${var.zone}"
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => name under which the load balancer is reached."
  value       = { for name in var.alternative_names : name => "${name}.${var.zone}" }
  depends_on  = [terraform_data.cutover]
}
