# Provider type ovh, nodepool: instances of a public cloud project, workers with an extra volume.

terraform {
  required_version = ">= 1.6"

  required_providers {
    ovh = {
      source = "ovh/ovh"
    }
  }
}

data "ovh_cloud_project_region" "region" {
  service_name = var.service_name
  name         = var.pool.region
}

data "ovh_cloud_instance_images" "region" {
  service_name = var.service_name
  region       = var.pool.region
}

data "ovh_cloud_instance_flavors" "region" {
  service_name = var.service_name
  region       = var.pool.region
}

locals {
  with_disk = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}

  image_ids  = [for image in data.ovh_cloud_instance_images.region.images : image.id if image.name == var.pool.image && lower(image.status) == "active"]
  flavor_ids = [for flavor in data.ovh_cloud_instance_flavors.region.flavors : flavor.id if flavor.name == var.pool.server_type]

  # Only regions of this type have zones that can be chosen. A volume has to lie in the zone of its machine.
  zones   = data.ovh_cloud_project_region.region.type == "region-3-az" ? sort(data.ovh_cloud_project_region.region.availability_zones) : []
  zone_of = { for name in keys(var.nodes) : name => var.pool.zone != null ? var.pool.zone : try(element(local.zones, parseint(substr(name, -2, 2), 16)), null) }
}

resource "ovh_cloud_ssh_key" "pool" {
  service_name = var.service_name
  name         = "${var.network.cluster_id}-${var.pool.id}"
  public_key   = trimspace(var.ssh_public_key)
}

resource "ovh_cloud_storage_block_volume" "data" {
  for_each = local.with_disk

  service_name      = var.service_name
  region            = var.pool.region
  availability_zone = local.zone_of[each.key]
  name              = "${var.network.cluster_id}-${each.key}-data"
  size              = var.pool.storage_disk_size
  volume_type       = "CLASSIC"
  encryption        = { enabled = true }

  # Each of them would recreate the volume, empty.
  lifecycle {
    ignore_changes = [availability_zone, encryption]
  }
}

resource "ovh_cloud_instance" "node" {
  for_each = var.nodes

  service_name       = var.service_name
  region             = var.pool.region
  availability_zone  = local.zone_of[each.key]
  name               = "${var.network.cluster_id}-${each.key}"
  flavor_id          = try(local.flavor_ids[0], "")
  image_id           = try(local.image_ids[0], "")
  ssh_key_name       = ovh_cloud_ssh_key.pool.name
  user_data          = base64encode(replace(var.first_boot, "@node@", each.key))
  security_group_ids = [var.network.security_group_id]
  volume_ids         = contains(keys(local.with_disk), each.key) ? [ovh_cloud_storage_block_volume.data[each.key].id] : null
  networks           = [{ auto_assign_public_ip = true }]

  # Another image or other user data would wipe the root disk, another key or zone would recreate the machine. A server type or an
  # image that OVHcloud withdraws must not matter to machines that exist.
  lifecycle {
    ignore_changes = [flavor_id, image_id, user_data, ssh_key_name, availability_zone]
  }
}

check "server_type" {
  assert {
    condition     = length(local.flavor_ids) > 0
    error_message = "There is no flavor ${var.pool.server_type} in region ${var.pool.region}: write another serverType, e.g. b3-8."
  }
}

check "image" {
  assert {
    condition     = length(local.image_ids) > 0
    error_message = "There is no image ${var.pool.image} in region ${var.pool.region}: write another image, e.g. Ubuntu 24.04."
  }
}
