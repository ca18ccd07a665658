# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "installation" {
  description = "Not used: records carry no owner."
  type        = string
}

variable "cluster_id" {
  description = "Not used: records carry no owner."
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
  description = "Not used: this DNS service does not check addresses."
  type        = number
  default     = null
}

variable "tags" {
  description = "Not used: records cannot carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# installation, cluster_id: Not used: records carry no owner.
# health_check_port: Not used: this DNS service does not check addresses.
# tags: Not used: records cannot carry tags.

variable "service_name" {
  description = "Id of the public cloud project. Not used: zones belong to the account."
  type        = string
}
