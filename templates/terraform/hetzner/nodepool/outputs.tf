output "nodes" {
  description = "Node name => {public_address, data_device}."
  value = { for name, server in hcloud_server.node : name => {
    public_address = server.ipv4_address
    data_device    = contains(keys(local.with_disk), name) ? "/dev/disk/by-id/*HC_Volume_${hcloud_volume.data[name].id}" : null
  } }
}
