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
  description = "Region of this call."
  type        = string
}

variable "cidr" {
  description = "Not used: droplets stand in the region's default VPC, whose range DigitalOcean picks."
  type        = string
  default     = "10.0.0.0/16"
}

variable "api_port_open" {
  description = "Open 6443 to the world: no load balancer serves the API."
  type        = bool
  default     = false
}

variable "roles" {
  description = "Ports of load balancer roles, open to the world."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "SSH ports to open."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "WireGuard port (UDP) to open."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Networks that may use SSH, beside the nodes of the cluster."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Public addresses of the nodes of the cluster: they may use SSH, WireGuard and ICMP."
  type        = list(string)
  default     = []
}

variable "tags" {
  description = "Not used: the tags of a firewall say what it guards."
  type        = map(string)
  default     = {}
}
