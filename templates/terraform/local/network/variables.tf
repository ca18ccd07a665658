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
  description = "Region of this call. Any name; regions of one instance share a site."
  type        = string
}

variable "hosts_dir" {
  description = "State directory of the hosts helper (KUBELOOM_HOSTS_DIR). Only this provider type has it."
  type        = string
  default     = "/var/lib/kubeloom-hosts"
}

variable "api_port_open" {
  description = "Open 6443 to the world. Not used: hosts have no firewall."
  type        = bool
  default     = false
}

variable "roles" {
  description = "Ports of load balancer roles to open. Not used, as api_port_open."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "SSH ports to open. Not used, as api_port_open."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "WireGuard's UDP port to open. Not used, as api_port_open."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Networks that may use SSH. Not used, as api_port_open."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Public addresses of the cluster's own nodes. Not used, as api_port_open."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "Network that the subnets of the pools lie in. Not used: hosts of a site share a /24."
  type        = string
  default     = "10.0.0.0/16"
}

variable "tags" {
  description = "Not used: nothing here can carry tags."
  type        = map(string)
  default     = {}
}
