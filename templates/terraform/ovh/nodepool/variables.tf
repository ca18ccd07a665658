# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.

variable "pool" {
  description = "The node pool. zone is an availability zone and matters in regions that have several."
  type = object({
    id                    = string
    role                  = string
    region                = string
    zone                  = optional(string)
    server_type           = string
    image                 = string
    storage_disk_size     = number
    external_network_name = optional(string)
    machine_spec          = optional(object({ cpu_count = optional(number), memory = optional(number), nvidia_gpu_count = optional(number), nvidia_gpu_type = optional(string) }))
    spot                  = bool
    subnet                = string
  })
}

variable "nodes" {
  description = "Node name => server_type where it is not that of the pool; the keys decide which machines exist."
  type        = map(object({ server_type = optional(string) }))
}

variable "ssh_public_key" {
  description = "Public key of the pool, one line as in authorized_keys."
  type        = string
}

variable "first_boot" {
  description = "POSIX shell script that a machine runs as root when it starts; @node@ in it is to be replaced by the node's name."
  type        = string
}

variable "tags" {
  description = "Not used: nothing here can carry tags."
  type        = map(string)
  default     = {}
}

# Written by hand, for this type only: variables, and words for the descriptions above.
# pool: zone is an availability zone and matters in regions that have several.
# tags: Not used: nothing here can carry tags.

variable "network" {
  description = "The network module of the pool's region, whole."
  type = object({
    cluster_id        = string
    security_group_id = string
  })
}

variable "service_name" {
  description = "Id of the public cloud project; field servicename of the Secret."
  type        = string
}
