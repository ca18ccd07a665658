output "nodes" {
  description = "Node name => {public_address, data_device}. A disk's serial number is the first 20 characters of the volume's id."
  value = { for name, instance in exoscale_compute_instance.node : name => {
    public_address = instance.public_ip_address
    data_device    = contains(keys(local.with_disk), name) ? "/dev/disk/by-id/virtio-${substr(exoscale_block_storage_volume.data[name].id, 0, 20)}" : null
  } }
}
