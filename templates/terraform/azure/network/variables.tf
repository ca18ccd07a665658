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
  description = "Region of this call. E.g. westeurope or West Europe."
  type        = string
}

variable "api_port_open" {
  description = "Open 6443 to the world: no load balancer serves the API."
  type        = bool
  default     = false
}

variable "roles" {
  description = "Ports of load balancer roles to open to the world."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "SSH ports to open to admin_cidrs and peer_cidrs."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "WireGuard's UDP port, to open to peer_cidrs."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Networks that may use SSH, apart from the cluster's own nodes."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Public addresses of the cluster's own nodes; 0.0.0.0/0 when one may be behind NAT."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "Network of the subnets of all pools."
  type        = string
  default     = "10.0.0.0/16"
}

variable "tags" {
  description = "Put on everything that can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# region: E.g. westeurope or West Europe.
