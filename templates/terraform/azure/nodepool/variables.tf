variable "network" {
  description = "The network module of the pool's region, whole."
  type = object({
    installation         = string
    cluster_id           = string
    provider_name        = string
    location             = string
    resource_group_name  = string
    virtual_network_name = string
    security_group_id    = string
    zones                = list(string)
  })
}

variable "pool" {
  description = "The node pool. A GPU comes with the server type, so machine_spec does not matter here."
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

  validation {
    condition     = length(split(":", var.pool.image)) == 4
    error_message = "An image is publisher:offer:sku:version, e.g. Canonical:ubuntu-24_04-lts:server:latest."
  }
}

variable "nodes" {
  description = "Node name => nothing; the keys decide which machines exist."
  type        = map(object({}))
}

variable "ssh_public_key" {
  description = "One line as in authorized_keys, RSA or Ed25519; the user kubeloom can log in with it."
  type        = string
}

variable "first_boot" {
  description = "POSIX shell script that the machine runs once: it lets root log in and sets the host name."
  type        = string
}

variable "tags" {
  description = "Put on everything that can carry tags."
  type        = map(string)
  default     = {}
}
