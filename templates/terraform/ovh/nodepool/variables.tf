variable "network" {
  description = "The network module of the pool's region, whole."
  type = object({
    cluster_id        = string
    security_group_id = string
  })
}

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
  description = "Not used: nothing here can carry tags."
  type        = map(string)
  default     = {}
}

variable "service_name" {
  description = "Id of the public cloud project; field servicename of the Secret."
  type        = string
}
