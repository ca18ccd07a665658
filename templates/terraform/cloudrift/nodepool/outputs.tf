output "nodes" {
  description = "Node name => {public_address, ssh_port?, wireguard_port?, local_address?, local_network?}; the ports only where the address is shared."
  value = { for node, machine in cloudrift_virtual_machine.node : node => { for key, value in {
    public_address = machine.public_ip
    ssh_port       = try([for port in var.network.ssh_ports : local.outside[node][tostring(port)]][0], null)
    wireguard_port = lookup(local.outside[node], tostring(var.network.wireguard_port), null)
    # Machines that share an address do not reach each other at that address.
    local_address = machine.private_ip
    local_network = machine.private_ip == null ? null : machine.public_ip
  } : key => value if value != null } }
}
