# Provider type oci, nodepool: a subnet for the pool; a machine and, for worker pools with storage, a volume for each node.

terraform {
  required_version = ">= 1.6"
  required_providers {
    oci = {
      source = "oracle/oci"
    }
  }
}

data "oci_identity_availability_domains" "region" {
  compartment_id = var.compartment_id
}

locals {
  names   = { for node in keys(var.nodes) : node => "${var.network.cluster_id}-${node}" }
  domains = sort([for domain in data.oci_identity_availability_domains.region.availability_domains : domain.name])
  # A zone is an availability domain, whole (hsVQ:EU-FRANKFURT-1-AD-1) or its end (AD-1): what is before differs between tenancies.
  matching = var.pool.zone == null ? [] : [for domain in local.domains : domain if domain == var.pool.zone || endswith(domain, "-${var.pool.zone}") || endswith(domain, ":${var.pool.zone}")]
  # Domains in turn, by the node's number: the two hexadecimal digits at the end of its name.
  placed = { for node in keys(var.nodes) : node => var.pool.zone != null ? try(local.matching[0], var.pool.zone) : element(local.domains, parseint(substr(node, -2, 2), 16)) }

  stored = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
  device = "/dev/oracleoci/oraclevdb"

  # Bare metal has no paravirtualised disks.
  virtual = startswith(var.pool.server_type, "VM.")
  flex    = endswith(var.pool.server_type, ".Flex")
  cpus    = try(coalesce(var.pool.machine_spec.cpu_count, 0), 0)
  memory  = try(coalesce(var.pool.machine_spec.memory, 0), 0)
}

resource "oci_core_subnet" "pool" {
  compartment_id             = var.compartment_id
  vcn_id                     = var.network.vcn_id
  display_name               = "${var.network.cluster_id}-${var.pool.id}"
  cidr_block                 = var.pool.subnet
  route_table_id             = var.network.route_table_id
  security_list_ids          = [var.network.security_list_id]
  prohibit_public_ip_on_vnic = false
  freeform_tags              = var.tags

  lifecycle {
    ignore_changes = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_core_volume" "data" {
  # checkov:skip=CKV_OCI_2:Backups cost money, and Kubeloom does not know what is worth one
  # checkov:skip=CKV_OCI_3:Encrypted with Oracle's keys; a key of the tenancy needs a vault and rights on it
  for_each = local.stored

  compartment_id      = var.compartment_id
  availability_domain = local.placed[each.key]
  display_name        = "${local.names[each.key]}d"
  size_in_gbs         = max(50, var.pool.storage_disk_size)
  vpus_per_gb         = 10
  freeform_tags       = var.tags

  lifecycle {
    # A region that gets another domain moves nothing.
    ignore_changes = [freeform_tags["kubeloom-generation"], availability_domain]
  }
}

resource "oci_core_instance" "node" {
  # checkov:skip=CKV_OCI_4:is_pv_encryption_in_transit_enabled is set next to launch_options, not in it
  for_each = var.nodes

  compartment_id = var.compartment_id
  # A machine that was taken away comes back where its volume is.
  availability_domain                 = try(oci_core_volume.data[each.key].availability_domain, local.placed[each.key])
  display_name                        = local.names[each.key]
  shape                               = var.pool.server_type
  is_pv_encryption_in_transit_enabled = local.virtual
  freeform_tags                       = var.tags

  dynamic "shape_config" {
    for_each = local.flex ? [true] : []
    content {
      ocpus         = local.cpus
      memory_in_gbs = local.memory
    }
  }

  source_details {
    source_type             = "image"
    source_id               = var.pool.image
    boot_volume_size_in_gbs = var.pool.role == "loadBalancer" ? 50 : 100
  }

  create_vnic_details {
    subnet_id        = oci_core_subnet.pool.id
    assign_public_ip = true
    nsg_ids          = var.network.security_group_ids
    display_name     = local.names[each.key]
  }

  # Only the newer metadata service, which wants a header that a server tricked into asking does not send.
  instance_options {
    are_legacy_imds_endpoints_disabled = true
  }

  metadata = {
    ssh_authorized_keys = var.ssh_public_key
    user_data           = base64encode(replace(var.first_boot, "@node@", each.key))
  }

  dynamic "preemptible_instance_config" {
    for_each = var.pool.spot ? [true] : []
    content {
      preemption_action {
        type                 = "TERMINATE"
        preserve_boot_volume = false
      }
    }
  }

  lifecycle {
    ignore_changes = [
      availability_domain,
      freeform_tags["kubeloom-generation"],
      metadata,
      source_details,
    ]

    precondition {
      condition     = !local.flex || (local.cpus > 0 && local.memory > 0)
      error_message = "Shape ${var.pool.server_type} of pool ${var.pool.id} is flexible: give machineSpec.cpuCount (OCPUs) and machineSpec.memory (GB)."
    }
  }
}

resource "oci_core_volume_attachment" "data" {
  for_each = local.stored

  attachment_type                     = "paravirtualized"
  instance_id                         = oci_core_instance.node[each.key].id
  volume_id                           = oci_core_volume.data[each.key].id
  device                              = local.device
  display_name                        = "${local.names[each.key]}d"
  is_pv_encryption_in_transit_enabled = local.virtual
}
