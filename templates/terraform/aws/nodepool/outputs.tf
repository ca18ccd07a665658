output "nodes" {
  description = "Node name => {public_address, data_device?}."
  value = { for name, address in aws_eip.node : name => {
    public_address = address.public_ip
    data_device    = lookup(local.devices, name, null)
  } }
  depends_on = [aws_eip_association.node, aws_volume_attachment.data]
}
