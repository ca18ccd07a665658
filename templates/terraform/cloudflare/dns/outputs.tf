output "endpoint" {
  description = "Name of the load balancer."
  value       = "${var.hostname}.${var.zone}"
  depends_on  = [terraform_data.cutover]
}

output "alternative_endpoints" {
  description = "Alternative name => full name."
  value       = { for name in var.alternative_names : name => "${name}.${var.zone}" }
  depends_on  = [terraform_data.cutover]
}
