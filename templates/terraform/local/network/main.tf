# Provider type local, network: a site of the hosts helper (bridge, /24, router). No firewall: every port of a host is open.

terraform {
  required_version = ">= 1.6"
}

resource "terraform_data" "site" {
  input = {
    installation  = var.installation
    cluster_id    = var.cluster_id
    provider_name = var.provider_name
    region        = var.region
    hosts_dir     = var.hosts_dir
  }
  triggers_replace = [var.installation, var.cluster_id, var.provider_name, var.region, var.hosts_dir]

  provisioner "local-exec" {
    quiet   = true
    command = <<-EOT
      exec "$${KUBELOOM_HOST_HELPER:-kubeloom-host}" site-up \
        --installation "$INSTALLATION" --cluster "$CLUSTER" --provider "$PROVIDER" --region "$REGION"
    EOT
    environment = {
      INSTALLATION       = self.input.installation
      CLUSTER            = self.input.cluster_id
      PROVIDER           = self.input.provider_name
      REGION             = self.input.region
      KUBELOOM_HOSTS_DIR = self.input.hosts_dir
    }
  }

  # Destroy provisioners of tainted hosts are never run: whatever hosts of the region are still there go with the site.
  provisioner "local-exec" {
    when    = destroy
    quiet   = true
    command = <<-EOT
      exec "$${KUBELOOM_HOST_HELPER:-kubeloom-host}" site-down \
        --installation "$INSTALLATION" --cluster "$CLUSTER" --provider "$PROVIDER" --region "$REGION"
    EOT
    environment = {
      INSTALLATION       = self.input.installation
      CLUSTER            = self.input.cluster_id
      PROVIDER           = self.input.provider_name
      REGION             = self.input.region
      KUBELOOM_HOSTS_DIR = self.input.hosts_dir
    }
  }
}
