output "nodes" {
  description = "Node name => {public_address, data_device}."
  value = { for node in keys(var.nodes) : node => {
    public_address = google_compute_address.node[node].address
    data_device    = contains(keys(google_compute_attached_disk.data), node) ? "/dev/disk/by-id/google-${local.device_name}" : null
  } }
}
