variable "installation" {
  description = "Name of this Kubeloom installation."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>."
  type        = string
}

variable "provider_name" {
  description = "Name of the provider instance."
  type        = string
}

variable "region" {
  description = "Region of this call, e.g. europe-west1."
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
  description = "SSH ports to open to admin_cidrs, peer_cidrs and cidr."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "UDP port of WireGuard, open to peer_cidrs and cidr."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Who may use SSH besides the cluster's own nodes."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Public addresses of the cluster's own nodes."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "Network that the subnets of the pools lie in."
  type        = string
  default     = "10.0.0.0/16"
}

variable "tags" {
  description = "Not used: networks and firewall rules carry no labels; their descriptions say whose they are."
  type        = map(string)
  default     = {}
}
