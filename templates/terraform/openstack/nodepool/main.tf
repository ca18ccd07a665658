# Provider type openstack, nodepool: a subnet with a router of its own, instances with a floating address each, workers
# with an extra volume.

terraform {
  required_version = ">= 1.6"

  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

locals {
  name      = "${var.network.cluster_id}-${var.pool.id}"
  tags      = [for key, value in var.tags : substr("${key}=${value}", 0, 60)]
  with_disk = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? var.nodes : {}
}

data "openstack_networking_network_v2" "external" {
  name     = var.pool.external_network_name
  external = true
}

# By name: images are renewed, and their ids with them. None at all must not matter to machines that exist.
data "openstack_images_image_ids_v2" "image" {
  name = var.pool.image
  sort = "created_at:desc"
}

check "image" {
  assert {
    condition     = length(data.openstack_images_image_ids_v2.image.ids) > 0
    error_message = "There is no image ${var.pool.image} in region ${var.pool.region}: write another image, e.g. Ubuntu 24.04."
  }
}

resource "openstack_networking_subnet_v2" "pool" {
  name            = local.name
  network_id      = var.network.network_id
  cidr            = var.pool.subnet
  ip_version      = 4
  dns_nameservers = ["1.1.1.1", "8.8.8.8"]
  tags            = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "openstack_networking_router_v2" "pool" {
  name                = local.name
  admin_state_up      = true
  external_network_id = data.openstack_networking_network_v2.external.id
  tags                = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "openstack_networking_router_interface_v2" "pool" {
  router_id = openstack_networking_router_v2.pool.id
  subnet_id = openstack_networking_subnet_v2.pool.id
}

# Nodes of one pool that meet under their floating addresses turn round in the router and come from its own address.
locals {
  turned_round = try(
    "${[for fixed in openstack_networking_router_v2.pool.external_fixed_ip : fixed.ip_address if !strcontains(fixed.ip_address, ":")][0]}/32",
    var.pool.subnet,
  )
}

resource "openstack_networking_secgroup_rule_v2" "wireguard" {
  security_group_id = var.network.security_group_id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "udp"
  port_range_min    = var.network.wireguard_port
  port_range_max    = var.network.wireguard_port
  remote_ip_prefix  = local.turned_round
}

resource "openstack_networking_secgroup_rule_v2" "icmp" {
  security_group_id = var.network.security_group_id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "icmp"
  remote_ip_prefix  = local.turned_round
}

resource "openstack_compute_keypair_v2" "pool" {
  name       = local.name
  public_key = var.ssh_public_key
}

resource "openstack_networking_port_v2" "node" {
  for_each = var.nodes

  name               = "${var.network.cluster_id}-${each.key}"
  network_id         = var.network.network_id
  admin_state_up     = true
  security_group_ids = [var.network.security_group_id]
  tags               = local.tags

  fixed_ip {
    subnet_id = openstack_networking_subnet_v2.pool.id
  }

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "openstack_compute_instance_v2" "node" {
  for_each = var.nodes

  name              = "${var.network.cluster_id}-${each.key}"
  image_id          = try(data.openstack_images_image_ids_v2.image.ids[0], null)
  flavor_name       = var.pool.server_type
  key_pair          = openstack_compute_keypair_v2.pool.name
  availability_zone = var.pool.zone
  user_data         = replace(var.first_boot, "@node@", each.key)
  metadata          = var.tags

  network {
    port = openstack_networking_port_v2.node[each.key].id
  }

  # The way out has to stand before the first boot, and as long as the machine does.
  depends_on = [openstack_networking_router_interface_v2.pool]

  lifecycle {
    ignore_changes = [image_id, flavor_name, key_pair, user_data, metadata["kubeloom-generation"]]
  }
}

resource "openstack_networking_floatingip_v2" "node" {
  for_each = var.nodes

  pool        = var.pool.external_network_name
  description = "${var.network.cluster_id}-${each.key}"
  tags        = local.tags

  lifecycle {
    ignore_changes = [tags]
  }
}

resource "openstack_networking_floatingip_associate_v2" "node" {
  for_each = var.nodes

  floating_ip = openstack_networking_floatingip_v2.node[each.key].address
  port_id     = openstack_networking_port_v2.node[each.key].id

  depends_on = [openstack_networking_router_interface_v2.pool]
}
