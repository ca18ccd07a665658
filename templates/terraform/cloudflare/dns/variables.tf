variable "installation" {
  description = "Name of this Kubeloom installation."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>."
  type        = string
}

variable "zone" {
  description = "DNS zone, e.g. example.com. It must exist."
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
  description = "Public addresses of the load balancer's nodes."
  type        = list(string)
}

variable "health_check_port" {
  description = "TCP port that tells whether a node lives; used with load balancing only."
  type        = number
  default     = null
}

variable "tags" {
  description = "Not used: tags of records need a paid plan. The comment of a record says whose it is."
  type        = map(string)
  default     = {}
}

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
