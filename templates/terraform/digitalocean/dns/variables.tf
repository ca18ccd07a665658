variable "installation" {
  description = "Name of this Kubeloom installation. Not used: records carry no owner."
  type        = string
}

variable "cluster_id" {
  description = "Id of the cluster: <name>-<hash7>. Not used: records carry no owner."
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
  description = "TCP port that tells whether a node lives. Not used: DigitalOcean checks no records."
  type        = number
  default     = null
}

variable "tags" {
  description = "Not used: records cannot carry tags."
  type        = map(string)
  default     = {}
}
