# Provider type azure, nodepool: a subnet, and for each node a fixed address, a network interface and a machine.

terraform {
  required_version = ">= 1.6"
  required_providers {
    azurerm = { source = "hashicorp/azurerm" }
  }
}

locals {
  zones = var.pool.zone != null ? [var.pool.zone] : var.network.zones
  nodes = { for name, node in var.nodes : name => {
    cloud_name = "${var.network.cluster_id}-${name}"
    zone       = length(local.zones) == 0 ? null : element(local.zones, parseint(substr(name, -2, 2), 16))
  } }

  image = split(":", var.pool.image)
  # etcd wants a fast disk. An s among the small letters of a size says that it takes one; the oldest sizes say DS and GS.
  takes_premium = can(regex("^Standard_([DG]S[0-9]|[A-Z]+[0-9]+(-[0-9]+)?[a-z]*s[a-z]*(_|$))", var.pool.server_type))
  # Every size of these series has accelerated networking; in other series only some have it, and Azure refuses the rest.
  accelerated = { for name, node in var.nodes :
    name => can(regex("^Standard_[DEFL][0-9]+(-[0-9]+)?[a-z]*_v[5-9]$", coalesce(node.server_type, var.pool.server_type)))
  }
}

resource "azurerm_subnet" "pool" {
  name                            = var.pool.id
  resource_group_name             = var.network.resource_group_name
  virtual_network_name            = var.network.virtual_network_name
  address_prefixes                = [var.pool.subnet]
  default_outbound_access_enabled = false
}

resource "azurerm_subnet_network_security_group_association" "pool" {
  subnet_id                 = azurerm_subnet.pool.id
  network_security_group_id = var.network.security_group_id
}

resource "azurerm_public_ip" "node" {
  for_each = local.nodes

  name                = each.value.cloud_name
  resource_group_name = var.network.resource_group_name
  location            = var.network.location
  sku                 = "Standard"
  allocation_method   = "Static"
  zones               = each.value.zone == null ? null : [each.value.zone]
  tags                = var.tags

  lifecycle {
    # A region that gains a zone changes the order of zones: existing machines stay where they are.
    ignore_changes = [zones, tags["kubeloom-generation"]]
  }
}

resource "azurerm_network_interface" "node" {
  # checkov:skip=CKV_AZURE_119:Nodes of several clouds reach each other, and the runner them, under public addresses; the security group says who may come in
  for_each = local.nodes

  name                           = each.value.cloud_name
  resource_group_name            = var.network.resource_group_name
  location                       = var.network.location
  accelerated_networking_enabled = local.accelerated[each.key]
  tags                           = var.tags

  ip_configuration {
    name                          = "public"
    subnet_id                     = azurerm_subnet.pool.id
    private_ip_address_allocation = "Dynamic"
    public_ip_address_id          = azurerm_public_ip.node[each.key].id
  }

  # A size that is given in place comes after the interface, which Azure changes only while the machine is deallocated.
  lifecycle {
    ignore_changes = [accelerated_networking_enabled, tags["kubeloom-generation"]]
  }
}

resource "azurerm_linux_virtual_machine" "node" {
  for_each = local.nodes

  name                            = each.value.cloud_name
  computer_name                   = each.key
  resource_group_name             = var.network.resource_group_name
  location                        = var.network.location
  zone                            = each.value.zone
  size                            = coalesce(var.nodes[each.key].server_type, var.pool.server_type)
  network_interface_ids           = [azurerm_network_interface.node[each.key].id]
  admin_username                  = "kubeloom"
  disable_password_authentication = true
  allow_extension_operations      = false # An extension runs what it likes as root, and the cluster needs none.
  custom_data                     = base64encode(replace(var.first_boot, "@node@", each.key))
  priority                        = var.pool.spot ? "Spot" : "Regular"
  eviction_policy                 = var.pool.spot ? "Delete" : null
  tags                            = var.tags

  admin_ssh_key {
    username   = "kubeloom"
    public_key = var.ssh_public_key
  }

  os_disk {
    name                 = "${each.value.cloud_name}-os"
    caching              = "ReadWrite"
    storage_account_type = var.pool.role == "control" && local.takes_premium ? "Premium_LRS" : "StandardSSD_LRS"
    disk_size_gb         = var.pool.role == "loadBalancer" ? 50 : 100
  }

  source_image_reference {
    publisher = local.image[0]
    offer     = local.image[1]
    sku       = local.image[2]
    version   = local.image[3]
  }

  lifecycle {
    ignore_changes = [custom_data, admin_ssh_key, source_image_reference, zone, tags["kubeloom-generation"]]
  }

  # A machine that starts without its firewall would be unreachable: Standard addresses allow no incoming traffic by default.
  depends_on = [azurerm_subnet_network_security_group_association.pool]
}
