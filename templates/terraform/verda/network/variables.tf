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
  description = "Location, e.g. FIN-01."
  type        = string
}

variable "cidr" {
  description = "Not used: Verda has no networks of its own."
  type        = string
  default     = "10.0.0.0/16"
}

variable "api_port_open" {
  description = "No effect here: Verda has no firewall, Ansible keeps one on the node."
  type        = bool
  default     = false
}

variable "roles" {
  description = "No effect here, as api_port_open."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "No effect here, as api_port_open."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "No effect here, as api_port_open."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "No effect here, as api_port_open."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "No effect here, as api_port_open."
  type        = list(string)
  default     = []
}

variable "tags" {
  description = "Put on everything that can carry tags. Nothing here can."
  type        = map(string)
  default     = {}
}
