# Provider type local, dns: there is no name server, so a load balancer is reached under the address of its first node.

terraform {
  required_version = ">= 1.6"
}

resource "terraform_data" "record" {
  input = {
    name              = "${var.hostname}.${var.zone}"
    alternative_names = var.alternative_names
    addresses         = var.addresses
  }
}
