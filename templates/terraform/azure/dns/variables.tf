# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "installation" {
  description = "Not used: the tags of records say it."
  type        = string
}

variable "cluster_id" {
  description = "Not used: the tags of records say it."
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
  description = "Not used: Azure DNS checks nothing."
  type        = number
  default     = null
}

variable "tags" {
  description = "Put on everything that can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# installation, cluster_id: Not used: the tags of records say it.
# health_check_port: Not used: Azure DNS checks nothing.
