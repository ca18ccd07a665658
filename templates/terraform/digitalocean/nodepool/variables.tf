variable "network" {
  description = "The network module of the pool's region, whole."
  type = object({
    installation  = string
    cluster_id    = string
    provider_name = string
    firewall_tag  = string
  })
}

variable "pool" {
  description = "The node pool. DigitalOcean has no zones and no spot machines; the root disk is part of the server type."
  type = object({
    id                    = string
    role                  = string
    region                = string
    zone                  = optional(string)
    server_type           = string
    image                 = string
    storage_disk_size     = number
    external_network_name = optional(string)
    machine_spec = optional(object({
      cpu_count        = optional(number)
      memory           = optional(number)
      nvidia_gpu_count = optional(number)
      nvidia_gpu_type  = optional(string)
    }))
    spot   = bool
    subnet = string
  })
}

variable "nodes" {
  description = "Node name => nothing; the keys decide which machines exist."
  type        = map(object({}))
}

variable "ssh_public_key" {
  description = "One line as in authorized_keys."
  type        = string
}

variable "first_boot" {
  description = "Shell script for a new machine; @node@ in it stands for the name of the node."
  type        = string
}

variable "tags" {
  description = "Put on everything that can carry tags."
  type        = map(string)
  default     = {}
}
