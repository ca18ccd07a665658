# Provider type verda, nodepool: an instance for each node, and a volume where the pool wants a data disk.

terraform {
  required_version = ">= 1.6"
  required_providers {
    verda = {
      source = "verda-cloud/verda"
    }
  }
}

locals {
  names = { for node in keys(var.nodes) : node => "${var.network.cluster_id}-${node}" }
  disks = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
}

resource "verda_ssh_key" "pool" {
  name       = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
}

resource "verda_startup_script" "node" {
  for_each = var.nodes

  name   = local.names[each.key]
  script = replace(var.first_boot, "@node@", each.key)

  lifecycle {
    # It has run: a new one would be for nothing.
    ignore_changes = [script]
  }
}

# Before the instance: Verda attaches volumes only when it makes one.
resource "verda_volume" "data" {
  for_each = local.disks

  name     = local.names[each.key]
  size     = var.pool.storage_disk_size
  type     = "NVMe"
  location = var.pool.region
}

resource "verda_instance" "node" {
  for_each = var.nodes

  instance_type     = var.pool.server_type
  image             = var.pool.image
  hostname          = local.names[each.key]
  description       = substr("kubeloom ${var.network.cluster_id} ${var.network.installation}", 0, 60)
  location          = var.pool.region
  is_spot           = var.pool.spot
  ssh_key_ids       = [verda_ssh_key.pool.id]
  startup_script_id = verda_startup_script.node[each.key].id
  existing_volumes  = contains(keys(local.disks), each.key) ? [verda_volume.data[each.key].id] : null
  os_volume = {
    name = "${local.names[each.key]}-os"
    size = var.pool.role == "loadBalancer" ? 50 : 100
    type = "NVMe"
  }

  lifecycle {
    # Verda changes nothing about an instance; none of them may replace a machine that works.
    ignore_changes = [image, description, is_spot, ssh_key_ids, startup_script_id, os_volume]
  }
}

# The plugin does not wait for the address of a new instance: that takes most of a minute.
resource "terraform_data" "patience" {
  for_each = var.nodes

  triggers_replace = [verda_instance.node[each.key].id]

  provisioner "local-exec" {
    quiet   = true
    command = "sleep $${KUBELOOM_VERDA_PATIENCE_SECONDS:-60}"
  }
}
