# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "installation" {
  description = "Name of this Kubeloom installation."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>."
  type        = string
}

variable "provider_name" {
  description = "Name of the provider instance. Part of names, so that several instances can share one account."
  type        = string
}

variable "region" {
  description = "Not used: there is nothing to make in it."
  type        = string
}

variable "api_port_open" {
  description = "Not used: CloudRift has no firewall, Ansible keeps one on the node."
  type        = bool
  default     = false
}

variable "roles" {
  description = "Not used: CloudRift has no firewall, Ansible keeps one on the node."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "SSH ports to open to admin_cidrs and peer_cidrs. Here the ports inside the machines."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "WireGuard's UDP port, to open to peer_cidrs. Here the port that it listens on inside the machines."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Not used: CloudRift has no firewall, Ansible keeps one on the node."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Not used: CloudRift has no firewall, Ansible keeps one on the node."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "Not used: CloudRift has no networks of its own."
  type        = string
  default     = "10.0.0.0/16"
}

variable "tags" {
  description = "Not used: nothing here can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# region: Not used: there is nothing to make in it.
# api_port_open, roles, admin_cidrs, peer_cidrs: Not used: CloudRift has no firewall, Ansible keeps one on the node.
# ssh_ports: Here the ports inside the machines.
# wireguard_port: Here the port that it listens on inside the machines.
# cidr: Not used: CloudRift has no networks of its own.
# tags: Not used: nothing here can carry tags.
