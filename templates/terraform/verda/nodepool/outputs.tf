output "nodes" {
  # What the plugin noted when it made an instance may have no address: such a node is left out, as one that is lost. The
  # next plan reads it again, so the runner only has to try again.
  # A virtio disk shows 20 characters of a volume's id, others all of it: the first 20 match both.
  description = "Node name => {public_address, data_device?}; without nodes whose address Verda has not assigned yet."
  value = { for node, instance in verda_instance.node : node => { for key, value in {
    public_address = instance.ip
    data_device    = contains(keys(local.disks), node) ? "/dev/disk/by-id/*${substr(verda_volume.data[node].id, 0, 20)}*" : null
  } : key => value if value != null } if try(length(instance.ip) > 0, false) }
  depends_on = [terraform_data.patience]
}
