variable "installation" {
  description = "Name of this Kubeloom installation. Not used: records carry no owner."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>. Not used: records carry no owner."
  type        = string
}

variable "zone" {
  description = "DNS zone that is there already, e.g. example.com."
  type        = string
}

variable "hostname" {
  description = "First label(s) of the name in the zone."
  type        = string
}

variable "alternative_names" {
  description = "Further names in the same zone."
  type        = list(string)
  default     = []
}

variable "addresses" {
  description = "Public addresses of the load balancer's nodes, at least one."
  type        = list(string)

  validation {
    condition     = length(var.addresses) > 0
    error_message = "A load balancer needs at least one address."
  }
}

variable "health_check_port" {
  description = "TCP port that tells whether a node lives. Not used: this DNS service does not check addresses."
  type        = number
  default     = null
}

variable "tags" {
  description = "Not used: records cannot carry tags."
  type        = map(string)
  default     = {}
}
