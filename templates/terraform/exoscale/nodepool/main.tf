# Provider type exoscale, nodepool: instances with a public IPv4 address, workers with an extra block storage volume.

terraform {
  required_version = ">= 1.6"

  required_providers {
    exoscale = {
      source = "exoscale/exoscale"
    }
  }
}

locals {
  with_disk      = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
  root_disk_size = var.pool.role == "loadBalancer" ? 50 : 100
  # Names are looked for among Exoscale's own templates; those of the organisation are found by their id.
  is_id = can(regex("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", var.pool.image))
}

data "exoscale_template" "image" {
  zone = var.pool.region
  id   = local.is_id ? var.pool.image : null
  name = local.is_id ? null : var.pool.image
}

resource "exoscale_ssh_key" "pool" {
  name       = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
}

resource "exoscale_block_storage_volume" "data" {
  for_each = local.with_disk

  zone   = var.pool.region
  name   = "${var.network.cluster_id}-${each.key}-data"
  size   = var.pool.storage_disk_size
  labels = var.tags

  lifecycle {
    ignore_changes = [labels["kubeloom-generation"]]
  }
}

resource "exoscale_compute_instance" "node" {
  for_each = var.nodes

  zone                     = var.pool.region
  name                     = "${var.network.cluster_id}-${each.key}"
  type                     = var.pool.server_type
  template_id              = data.exoscale_template.image.id
  disk_size                = local.root_disk_size
  ipv6                     = false
  ssh_keys                 = [exoscale_ssh_key.pool.name]
  user_data                = replace(var.first_boot, "@node@", each.key)
  security_group_ids       = [var.network.security_group_id]
  block_storage_volume_ids = contains(keys(local.with_disk), each.key) ? [exoscale_block_storage_volume.data[each.key].id] : null
  labels                   = var.tags

  # Exoscale renews its templates under the same name; the key and the script matter at the first boot only.
  lifecycle {
    ignore_changes = [template_id, ssh_keys, user_data, labels["kubeloom-generation"]]
  }
}
