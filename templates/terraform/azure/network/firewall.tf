# One security group for all subnets. A rule takes lists of sources and ports, so each kind of traffic is one rule, and
# no rule ever needs the priority of another.

locals {
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known_peers = [for cidr in var.peer_cidrs : cidr if cidr != "0.0.0.0/0"]
  sources = {
    ssh  = distinct(concat(var.admin_cidrs, local.known_peers, [var.cidr]))
    peer = distinct(concat(var.peer_cidrs, [var.cidr]))
  }
  # Azure refuses a rule whose sources overlap, so ranges that lie in another one are left out.
  widest = { for traffic, ranges in local.sources : traffic => [
    for range in ranges : range if !anytrue([
      for other in ranges : tonumber(split("/", other)[1]) < tonumber(split("/", range)[1]) &&
      cidrhost("${split("/", range)[0]}/${split("/", other)[1]}", 0) == cidrhost(other, 0)
    ])
  ] }

  role_ports = { for protocol in ["tcp", "udp"] : protocol => distinct(
    [for role in var.roles : tostring(role.port) if lower(role.protocol) == protocol]
  ) }
  tcp_ports = distinct(concat(local.role_ports.tcp, var.api_port_open ? ["6443"] : []))

  rules = {
    wireguard = { priority = 100, protocol = "Udp", ports = [tostring(var.wireguard_port)], from = local.widest.peer }
    ssh       = { priority = 101, protocol = "Tcp", ports = [for port in var.ssh_ports : tostring(port)], from = local.widest.ssh }
    icmp      = { priority = 102, protocol = "Icmp", ports = ["*"], from = local.widest.peer }
    tcp       = { priority = 200, protocol = "Tcp", ports = local.tcp_ports, from = ["0.0.0.0/0"] }
    udp       = { priority = 201, protocol = "Udp", ports = local.role_ports.udp, from = ["0.0.0.0/0"] }
  }
}

resource "azurerm_network_security_group" "network" {
  name                = var.cluster_id
  resource_group_name = azurerm_resource_group.region.name
  location            = azurerm_resource_group.region.location
  tags                = var.tags

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "azurerm_network_security_rule" "open" {
  for_each = { for name, rule in local.rules : name => rule if length(rule.ports) > 0 }

  name                        = each.key
  resource_group_name         = azurerm_resource_group.region.name
  network_security_group_name = azurerm_network_security_group.network.name
  direction                   = "Inbound"
  access                      = "Allow"
  priority                    = each.value.priority
  protocol                    = each.value.protocol
  source_port_range           = "*"
  # "Anyone" is not allowed in a list.
  source_address_prefix      = contains(each.value.from, "0.0.0.0/0") ? "*" : null
  source_address_prefixes    = contains(each.value.from, "0.0.0.0/0") ? null : each.value.from
  destination_address_prefix = "*"
  destination_port_range     = each.value.protocol == "Icmp" ? "*" : null
  destination_port_ranges    = each.value.protocol == "Icmp" ? null : each.value.ports
}
