# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "installation" {
  description = "Name of this Kubeloom installation."
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
  description = "TCP port of the health check of a node; null: none. Used with load balancing only."
  type        = number
  default     = null
}

variable "tags" {
  description = "Not used: tags of records need a paid plan. The comment of a record says whose it is."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# health_check_port: Used with load balancing only.
# tags: Not used: tags of records need a paid plan. The comment of a record says whose it is.

variable "account_id" {
  description = "Cloudflare account that the zone belongs to. From the Secret."
  type        = string
  sensitive   = true
}

variable "load_balancing" {
  description = "\"true\": the account has paid for Load Balancing, so names answer with healthy nodes only. From the Secret."
  type        = string
  default     = null
  sensitive   = true
}
