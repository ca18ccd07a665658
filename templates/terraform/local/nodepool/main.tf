# Provider type local, nodepool: one systemd-nspawn host for each node. The helper waits until SSH answers.

terraform {
  required_version = ">= 1.6"
}

resource "terraform_data" "host" {
  for_each = var.nodes

  input = {
    installation   = var.network.site.installation
    cluster_id     = var.network.site.cluster_id
    provider_name  = var.network.site.provider_name
    hosts_dir      = var.network.site.hosts_dir
    region         = var.pool.region
    name           = each.key
    ssh_public_key = var.ssh_public_key
  }
  triggers_replace = [var.network.site_id]

  # self.id is new for each replacement: the helper uses it to distinguish a wanted host from a leftover one.
  provisioner "local-exec" {
    quiet   = true
    command = <<-EOT
      exec "$${KUBELOOM_HOST_HELPER:-kubeloom-host}" up --abort-if-orphaned --id "$ID" --host "$HOST" \
        --installation "$INSTALLATION" --cluster "$CLUSTER" --provider "$PROVIDER" --region "$REGION"
    EOT
    environment = {
      ID                      = self.id
      HOST                    = self.input.name
      INSTALLATION            = self.input.installation
      CLUSTER                 = self.input.cluster_id
      PROVIDER                = self.input.provider_name
      REGION                  = self.input.region
      KUBELOOM_HOSTS_DIR      = self.input.hosts_dir
      KUBELOOM_SSH_PUBLIC_KEY = self.input.ssh_public_key
    }
  }

  provisioner "local-exec" {
    when    = destroy
    quiet   = true
    command = <<-EOT
      exec "$${KUBELOOM_HOST_HELPER:-kubeloom-host}" down --id "$ID" --host "$HOST" \
        --installation "$INSTALLATION" --cluster "$CLUSTER" --provider "$PROVIDER"
    EOT
    environment = {
      ID                 = self.id
      HOST               = self.input.name
      INSTALLATION       = self.input.installation
      CLUSTER            = self.input.cluster_id
      PROVIDER           = self.input.provider_name
      KUBELOOM_HOSTS_DIR = self.input.hosts_dir
    }
  }
}

locals {
  # `output` is unknown until the provisioner has run, so the file that the helper wrote is read in the apply, never before.
  facts_files = { for name, host in terraform_data.host : name => join("/", [
    host.output.hosts_dir, "sites", host.output.installation, host.output.cluster_id, host.output.provider_name,
    "hosts", host.output.name, "address.json",
  ]) }
}
