output "nodes" {
  description = "Node name => {public_address, ssh_port, wireguard_port}. A host that is lost has no entry: it has no address."
  value       = { for name, path in local.facts_files : name => jsondecode(file(path)) if fileexists(path) }
}
