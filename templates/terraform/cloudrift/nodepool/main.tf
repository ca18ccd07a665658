# Provider type cloudrift, nodepool: a virtual machine for each node, possibly with a shared public address.

terraform {
  required_version = ">= 1.6"
  required_providers {
    cloudrift = {
      source = "berops/cloudrift"
    }
  }
}

locals {
  # Machines that share an address have a list of mapped ports. Its two columns are named the wrong way round in some
  # versions of the provider, so either may hold the port inside the machine; outside ports are never the same ones.
  mappings = { for node, machine in cloudrift_virtual_machine.node : node => machine.port_mappings == null ? [] : machine.port_mappings }
  outside = { for node, mappings in local.mappings : node => merge(
    { for mapping in mappings : tostring(mapping.guest_port) => mapping.host_port },
    { for mapping in mappings : tostring(mapping.host_port) => mapping.guest_port },
  ) }
}

resource "cloudrift_ssh_key" "pool" {
  name       = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
}

resource "cloudrift_virtual_machine" "node" {
  for_each = var.nodes

  datacenter    = var.pool.region
  instance_type = var.pool.server_type
  recipe        = var.pool.image
  ssh_key_id    = cloudrift_ssh_key.pool.id
  metadata = {
    startup_commands = base64encode(replace(var.first_boot, "@node@", each.key))
  }

  lifecycle {
    # CloudRift can only recreate machines; none of them may replace a machine that works.
    ignore_changes = [recipe, ssh_key_id, metadata]
  }
}
