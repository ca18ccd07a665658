# Provider type gcp, nodepool: a subnetwork for the pool; an address, a machine and, for worker pools with storage, a disk for each node.

terraform {
  required_version = ">= 1.6"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

data "google_compute_zones" "region" {
  region = var.pool.region
}

locals {
  names = { for node in keys(var.nodes) : node => "${var.network.prefix}-${node}" }
  # Those with a letter: zones like us-central1-ai1a have accelerators and hardly any other machine, so they must be named.
  zones = sort([for zone in data.google_compute_zones.region.names : zone if can(regex("-[a-z]$", zone))])
  # Zones in turn, by the node's number: the two hexadecimal digits at the end of its name.
  placed = { for node in keys(var.nodes) : node => var.pool.zone != null ? var.pool.zone : element(local.zones, parseint(substr(node, -2, 2), 16)) }

  # Labels: lower-case letters, digits, "_" and "-", at most 63. The generation says who made the thing and never changes it.
  labels = { for key, value in var.tags : substr(replace(lower(key), "/[^a-z0-9_-]/", "-"), 0, 63) => substr(replace(lower(value), "/[^a-z0-9_-]/", "-"), 0, 63) }

  stored      = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
  device_name = "kubeloom-data"

  # The newest machine series and bare metal take Hyperdisks alone.
  series = split("-", var.pool.server_type)[0]
  metal  = endswith(var.pool.server_type, "-metal")
  hyperdisk = anytrue([
    contains(["a4", "a4x", "c4", "c4a", "c4d", "g4", "h4d", "m4", "n4", "n4a", "n4d", "x4"], local.series),
    startswith(var.pool.server_type, "a3-ultragpu"),
    local.metal,
  ])
  root_type = local.hyperdisk ? "hyperdisk-balanced" : "pd-balanced"
  # The only persistent disks that h3 accepts are balanced ones.
  data_type = local.hyperdisk ? "hyperdisk-balanced" : local.series == "h3" ? "pd-balanced" : "pd-ssd"

  # Series a2 and later, g2 and later bring their GPUs along; the drivers of GPUs are not signed, so there is no secure boot.
  accelerators = try(coalesce(var.pool.machine_spec.nvidia_gpu_count, 0), 0)
  gpu          = local.accelerators > 0 || can(regex("^[ag][2-9]", local.series))
  shielded     = local.series != "t2a"
  # What can be moved to another host while it runs.
  movable = !var.pool.spot && !local.gpu && !contains(["h3", "h4d", "x4"], local.series) && !local.metal
}

resource "google_compute_subnetwork" "pool" {
  # checkov:skip=CKV_GCP_26:Flow logs cost money by the gigabyte
  name          = "${var.network.prefix}-${var.pool.id}"
  description   = "Kubeloom: pool ${var.pool.id} of cluster ${var.network.cluster_id}"
  region        = var.pool.region
  network       = var.network.network_id
  ip_cidr_range = var.pool.subnet
  # Google's own services without the way through the internet, should a machine lose its public address.
  private_ip_google_access = true
}

resource "google_compute_address" "node" {
  for_each = var.nodes

  name         = local.names[each.key]
  region       = var.pool.region
  address_type = "EXTERNAL"
  labels       = local.labels

  lifecycle {
    ignore_changes = [labels["kubeloom-generation"]]
  }
}

resource "google_compute_disk" "data" {
  # checkov:skip=CKV_GCP_37:Encrypted with Google's keys; one supplied by us would stand in the Terraform state
  for_each = local.stored

  # A disk cannot have the name of the machine: its root disk has it.
  name   = replace(local.names[each.key], "/-([^-]*)$/", "d$1")
  zone   = local.placed[each.key]
  type   = local.data_type
  size   = var.pool.storage_disk_size
  labels = local.labels

  lifecycle {
    # A region that gets another zone moves nothing.
    ignore_changes = [labels["kubeloom-generation"], zone]
  }
}

resource "google_compute_instance" "node" {
  # checkov:skip=CKV_GCP_38:Encrypted with Google's keys; one supplied by us would stand in the Terraform state
  # checkov:skip=CKV_GCP_40:Nodes of several clouds reach each other, and the runner them, under public addresses; firewall rules say who may come in
  for_each = var.nodes

  name         = local.names[each.key]
  machine_type = var.pool.server_type
  # A machine that was taken away comes back where its disk is.
  zone   = try(google_compute_disk.data[each.key].zone, local.placed[each.key])
  labels = local.labels

  boot_disk {
    initialize_params {
      image  = var.pool.image
      size   = var.pool.role == "loadBalancer" ? 50 : 100
      type   = local.root_type
      labels = local.labels
    }
  }

  network_interface {
    subnetwork = google_compute_subnetwork.pool.id

    access_config {
      nat_ip = google_compute_address.node[each.key].address
    }
  }

  metadata = {
    block-project-ssh-keys = "true"
    enable-oslogin         = "FALSE"
    ssh-keys               = "root:${var.ssh_public_key}"
    startup-script         = replace(var.first_boot, "@node@", each.key)
  }

  scheduling {
    provisioning_model          = var.pool.spot ? "SPOT" : "STANDARD"
    preemptible                 = var.pool.spot
    automatic_restart           = !var.pool.spot
    on_host_maintenance         = local.movable ? "MIGRATE" : "TERMINATE"
    instance_termination_action = var.pool.spot ? "DELETE" : null
  }

  dynamic "guest_accelerator" {
    for_each = local.accelerators > 0 ? [var.pool.machine_spec] : []
    content {
      type  = guest_accelerator.value.nvidia_gpu_type
      count = guest_accelerator.value.nvidia_gpu_count
    }
  }

  dynamic "shielded_instance_config" {
    for_each = local.shielded ? [true] : []
    content {
      enable_secure_boot          = !local.gpu
      enable_vtpm                 = true
      enable_integrity_monitoring = true
    }
  }

  lifecycle {
    ignore_changes = [
      attached_disk,
      boot_disk[0].initialize_params,
      labels["kubeloom-generation"],
      metadata["ssh-keys"],
      metadata["startup-script"],
      zone,
    ]

    precondition {
      condition     = local.accelerators == 0 || try(var.pool.machine_spec.nvidia_gpu_type, null) != null
      error_message = "Pool ${var.pool.id} wants GPUs and does not say which: give machineSpec.nvidiaGpuType, for example nvidia-tesla-t4."
    }
  }
}

resource "google_compute_attached_disk" "data" {
  for_each = local.stored

  disk        = google_compute_disk.data[each.key].id
  instance    = google_compute_instance.node[each.key].id
  device_name = local.device_name
}
