# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "installation" {
  description = "Not used: the tags of health checks say it."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>."
  type        = string
}

variable "zone" {
  description = "DNS zone that exists already, e.g. example.com."
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
  description = "TCP port of the health check of a node; null: none."
  type        = number
  default     = null
}

variable "tags" {
  description = "Put on everything that can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# installation: Not used: the tags of health checks say it.
