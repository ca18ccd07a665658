# Extra disks of workers. The volume service has zones of its own; where it knows the machine's zone, the volume lies there.

data "openstack_blockstorage_availability_zones_v3" "volumes" {}

resource "openstack_blockstorage_volume_v3" "data" {
  for_each = local.with_disk

  name = "${var.network.cluster_id}-${each.key}-data"
  size = var.pool.storage_disk_size
  availability_zone = try(contains(
    data.openstack_blockstorage_availability_zones_v3.volumes.names,
    openstack_compute_instance_v2.node[each.key].availability_zone,
  ), false) ? openstack_compute_instance_v2.node[each.key].availability_zone : null
  metadata = var.tags

  # A machine may be moved to another zone; its volume stays.
  lifecycle {
    ignore_changes = [availability_zone, metadata["kubeloom-generation"]]
  }
}

resource "openstack_compute_volume_attach_v2" "data" {
  for_each = local.with_disk

  instance_id = openstack_compute_instance_v2.node[each.key].id
  volume_id   = openstack_blockstorage_volume_v3.data[each.key].id
}
