variable "network" {
  description = "The network module of the pool's region, whole."
  type = object({
    cluster_id        = string
    network_id        = string
    security_group_id = string
    wireguard_port    = number
  })
}

variable "pool" {
  description = "The node pool. zone is an availability zone of the compute service; without one its scheduler chooses."
  type = object({
    id                    = string
    role                  = string
    region                = string
    zone                  = optional(string)
    server_type           = string
    image                 = string
    storage_disk_size     = number
    external_network_name = string
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
  description = "One line as in authorized_keys; root can log in with it."
  type        = string
}

variable "first_boot" {
  description = "POSIX shell script for a machine's first boot; @node@ in it stands for the node's name."
  type        = string
}

variable "tags" {
  description = "Metadata or tags of everything that can carry them."
  type        = map(string)
  default     = {}
}
