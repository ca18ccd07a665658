# Machines have the public interface alone. A disk's serial number is the volume's id, of which virtio keeps the first 20
# characters; whether its dashes are kept differs between regions.
output "nodes" {
  description = "Node name => {public_address, data_device}."
  value = { for name, instance in ovh_cloud_instance.node : name => {
    public_address = flatten([for network in instance.current_state.networks : [
      for address in network.addresses : address.ip if !strcontains(address.ip, ":")
    ]])[0]
    data_device = contains(keys(local.with_disk), name) ? "/dev/disk/by-id/*${replace(substr(ovh_cloud_storage_block_volume.data[name].id, 0, 20), "-", "*")}*" : null
  } }
}
