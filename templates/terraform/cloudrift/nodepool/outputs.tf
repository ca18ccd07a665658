output "nodes" {
  description = "Node name => {public_address, ssh_port?, wireguard_port?}; the ports only where the address is shared."
  value = { for node, machine in cloudrift_virtual_machine.node : node => { for key, value in {
    public_address = machine.public_ip
    ssh_port       = try([for port in var.network.ssh_ports : local.outside[node][tostring(port)]][0], null)
    wireguard_port = lookup(local.outside[node], tostring(var.network.wireguard_port), null)
  } : key => value if value != null } }
}
