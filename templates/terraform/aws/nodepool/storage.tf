# The empty extra disk of worker nodes.

resource "aws_ebs_volume" "data" {
  # checkov:skip=CKV_AWS_189:Encrypted with the key that the account has chosen for EBS; a key of our own would cost money and need rights on keys
  for_each = local.nodes_with_disk

  availability_zone = each.value.zone
  size              = var.pool.storage_disk_size
  type              = "gp3"
  encrypted         = true
  tags              = merge(var.tags, { Name = "${each.value.cloud_name}-d" })

  lifecycle {
    # A region that gains a zone changes whose turn it is: a disk with its data stays, and its machine comes back to it.
    ignore_changes = [availability_zone, tags["kubeloom-generation"]]
  }
}

resource "aws_volume_attachment" "data" {
  for_each = local.nodes_with_disk

  device_name = "/dev/sdh"
  volume_id   = aws_ebs_volume.data[each.key].id
  instance_id = aws_instance.node[each.key].id

  # A mounted disk is never detached. One-time spot instances cannot be stopped, so theirs is taken away.
  stop_instance_before_detaching = !var.pool.spot
  force_detach                   = var.pool.spot
}

locals {
  # Two globs. The serial number of an NVMe disk is the volume's id without the dash; partitions, whose names are longer, are
  # not meant. The oldest types have no NVMe: there /dev/sdh is called xvdh.
  devices = { for name, volume in aws_ebs_volume.data :
    name => "/dev/disk/by-id/*${replace(volume.id, "-", "")} /dev/xvdh"
  }
}
