# Provider type digitalocean, nodepool: a droplet for each node, and a volume where the pool wants a data disk.

terraform {
  required_version = ">= 1.6"
  required_providers {
    digitalocean = {
      source = "digitalocean/digitalocean"
    }
  }
}

locals {
  names = { for node in keys(var.nodes) : node => "${var.network.cluster_id}-${node}" }
  disks = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}

  # Names of volumes begin with a letter and have 64 characters at most.
  lettered = { for node, name in local.names : node => can(regex("^[a-z]", name)) ? name : "k${name}" }
  volumes  = { for node, name in local.lettered : node => length(name) <= 64 ? name : "${substr(name, 0, 55)}-${substr(sha1(name), 0, 8)}" }

  # Tags are words here, not pairs. The generation stays the one that made the machine: see ignore_changes.
  tags = concat([var.network.firewall_tag], [for key, value in var.tags : "${key}:${value}"])
}

# Without a key DigitalOcean would make a password and send it by mail.
resource "digitalocean_ssh_key" "pool" {
  name       = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
}

resource "digitalocean_droplet" "node" {
  for_each = var.nodes

  name              = local.names[each.key]
  region            = var.pool.region
  size              = coalesce(var.nodes[each.key].server_type, var.pool.server_type)
  image             = var.pool.image
  ssh_keys          = [digitalocean_ssh_key.pool.id]
  user_data         = replace(var.first_boot, "@node@", each.key)
  tags              = local.tags
  ipv6              = false
  monitoring        = false
  droplet_agent     = false
  graceful_shutdown = false

  # Counts when another size is given in place: a root disk that grew with its size would rule out the old one.
  resize_disk = false

  lifecycle {
    # None of them may replace a machine that works.
    ignore_changes = [image, ssh_keys, user_data, tags, droplet_agent]
  }
}

resource "digitalocean_volume" "data" {
  for_each = local.disks

  name        = local.volumes[each.key]
  region      = var.pool.region
  size        = var.pool.storage_disk_size
  description = "Data disk of ${local.names[each.key]}"
  tags        = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "digitalocean_volume_attachment" "data" {
  for_each = local.disks

  droplet_id = digitalocean_droplet.node[each.key].id
  volume_id  = digitalocean_volume.data[each.key].id
}
