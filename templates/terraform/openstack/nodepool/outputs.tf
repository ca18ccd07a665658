# A disk's serial number is the volume's id, of which virtio keeps the first 20 characters and SCSI all.
output "nodes" {
  description = "Node name => {public_address, data_device, local_address, local_network}."
  value = { for name, association in openstack_networking_floatingip_associate_v2.node : name => {
    public_address = association.floating_ip
    data_device    = contains(keys(local.with_disk), name) ? "/dev/disk/by-id/*${substr(openstack_blockstorage_volume_v3.data[name].id, 0, 20)}*" : null
    # A router may refuse to turn traffic between two floating addresses round, or change its port.
    local_address = openstack_networking_port_v2.node[name].all_fixed_ips[0]
    local_network = openstack_networking_subnet_v2.pool.id
  } }
}
