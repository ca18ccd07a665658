output "nodes" {
  description = "Node name => {public_address, data_device?}."
  value = { for node, droplet in digitalocean_droplet.node : node => { for key, value in {
    public_address = droplet.ipv4_address
    data_device    = contains(keys(local.disks), node) ? "/dev/disk/by-id/scsi-0DO_Volume_${local.volumes[node]}" : null
  } : key => value if value != null } }
  depends_on = [digitalocean_volume_attachment.data]
}
