output "site_id" {
  description = "Changes when the site is recreated: then its hosts have to be recreated as well."
  value       = terraform_data.site.id
}

output "site" {
  description = "What the helper needs to find the site."
  value       = terraform_data.site.output
}
