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
  description = "Region of this call. Any name; regions of one instance share a site."
  type        = string
}

variable "api_port_open" {
  description = "Not used: hosts have no firewall."
  type        = bool
  default     = false
}

variable "roles" {
  description = "Not used: hosts have no firewall."
  type        = list(object({ name = string, protocol = string, port = number }))
  default     = []
}

variable "ssh_ports" {
  description = "Not used: hosts have no firewall."
  type        = list(number)
  default     = [22]
}

variable "wireguard_port" {
  description = "Not used: hosts have no firewall."
  type        = number
  default     = 51820
}

variable "admin_cidrs" {
  description = "Not used: hosts have no firewall."
  type        = list(string)
  default     = ["0.0.0.0/0"]
}

variable "peer_cidrs" {
  description = "Not used: hosts have no firewall."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "Not used: hosts of a site share a /24."
  type        = string
  default     = "10.0.0.0/16"
}

variable "tags" {
  description = "Not used: nothing here can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# region: Any name; regions of one instance share a site.
# api_port_open, roles, ssh_ports, wireguard_port, admin_cidrs, peer_cidrs: Not used: hosts have no firewall.
# cidr: Not used: hosts of a site share a /24.
# tags: Not used: nothing here can carry tags.

variable "hosts_dir" {
  description = "State directory of the hosts helper (KUBELOOM_HOSTS_DIR). Only this provider type has it."
  type        = string
  default     = "/var/lib/kubeloom-hosts"
}
