output "nodes" {
  description = "Node name => {public_address, data_device}."
  value = { for node in keys(var.nodes) : node => {
    public_address = oci_core_instance.node[node].public_ip
    data_device    = contains(keys(oci_core_volume_attachment.data), node) ? local.device : null
  } }
}
