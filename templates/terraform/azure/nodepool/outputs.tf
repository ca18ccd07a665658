output "nodes" {
  description = "Node name => {public_address, data_device?}."
  value = { for name, address in azurerm_public_ip.node : name => {
    public_address = address.ip_address
    data_device    = contains(keys(local.nodes_with_disk), name) ? local.device : null
  } }
  depends_on = [azurerm_linux_virtual_machine.node, azurerm_virtual_machine_data_disk_attachment.data]
}
