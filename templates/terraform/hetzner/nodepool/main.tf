# Provider type hetzner, nodepool: servers with a public IPv4 address, workers with an extra volume.

terraform {
  required_version = ">= 1.6"

  required_providers {
    hcloud = {
      source = "hetznercloud/hcloud"
    }
  }
}

locals {
  with_disk = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
}

# Without a key Hetzner sends passwords by mail. A project holds each key only once; pools have a pair each.
resource "hcloud_ssh_key" "pool" {
  name       = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
  labels     = var.tags

  lifecycle {
    ignore_changes = [labels["kubeloom-generation"]]
  }
}

resource "hcloud_server" "node" {
  for_each = var.nodes

  name         = "${var.network.cluster_id}-${each.key}"
  server_type  = coalesce(var.nodes[each.key].server_type, var.pool.server_type)
  image        = var.pool.image
  location     = var.pool.region
  user_data    = replace(var.first_boot, "@node@", each.key)
  ssh_keys     = [hcloud_ssh_key.pool.id]
  firewall_ids = [var.network.firewall_id]
  labels       = var.tags

  # Counts when another type is given in place: a disk that grew with its type would rule out the old one.
  keep_disk = true

  public_net {
    ipv4_enabled = true
    ipv6_enabled = false
  }

  # The API forgets the image of a server when the image goes; the others matter at the first boot only.
  lifecycle {
    ignore_changes = [image, ssh_keys, user_data, labels["kubeloom-generation"]]
  }
}

resource "hcloud_volume" "data" {
  for_each = local.with_disk

  # A machine has up to 63 characters; 64 are safe.
  name     = "${var.network.cluster_id}-${each.key}d"
  size     = var.pool.storage_disk_size
  location = var.pool.region
  labels   = var.tags

  lifecycle {
    ignore_changes = [labels["kubeloom-generation"]]
  }
}

resource "hcloud_volume_attachment" "data" {
  for_each = local.with_disk

  volume_id = hcloud_volume.data[each.key].id
  server_id = hcloud_server.node[each.key].id
  automount = false
}
