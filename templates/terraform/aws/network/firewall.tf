# A security group has 60 rules by default and every source is a rule, so each kind of traffic has a group of its own.

locals {
  # A node of an unknown address makes everybody a peer of WireGuard, which knows its keys; of SSH it does not.
  known_peers  = [for cidr in var.peer_cidrs : cidr if cidr != local.anyone]
  ssh_sources  = distinct(concat(var.admin_cidrs, local.known_peers, [var.cidr]))
  peer_sources = distinct(concat(var.peer_cidrs, [var.cidr]))
  # "From anywhere" says it all: the other sources would only use up the group's rules.
  ssh_from  = contains(local.ssh_sources, local.anyone) ? [local.anyone] : local.ssh_sources
  peer_from = contains(local.peer_sources, local.anyone) ? [local.anyone] : local.peer_sources

  purposes = {
    ssh       = "SSH from administrators and nodes"
    wireguard = "WireGuard between nodes"
    icmp      = "ICMP between nodes"
    service   = "Port of a load balancer role or the API"
  }

  role_ports = distinct([for role in var.roles : { protocol = lower(role.protocol), port = role.port }])
  api_ports  = var.api_port_open ? [{ protocol = "tcp", port = 6443 }] : []

  rules = concat(
    [for pair in setproduct(var.ssh_ports, local.ssh_from) :
      { group = "ssh", protocol = "tcp", from = pair[0], to = pair[0], cidr = pair[1] }
    ],
    [for cidr in local.peer_from :
      { group = "wireguard", protocol = "udp", from = var.wireguard_port, to = var.wireguard_port, cidr = cidr }
    ],
    [for cidr in local.peer_from : { group = "icmp", protocol = "icmp", from = -1, to = -1, cidr = cidr }],
    [for open in distinct(concat(local.role_ports, local.api_ports)) :
      { group = "service", protocol = open.protocol, from = open.port, to = open.port, cidr = local.anyone }
    ],
  )
}

resource "aws_security_group" "traffic" {
  # checkov:skip=CKV2_AWS_5:The nodepool module attaches them to its instances
  for_each = merge(local.purposes, { service = "Ports of load balancer roles and the API, and all outgoing traffic" })

  # AWS keeps names that begin with sg- for itself, and a cluster may be called sg.
  name        = startswith(local.name, "sg-") ? "kubeloom-${local.name}-${each.key}" : "${local.name}-${each.key}"
  description = each.value
  vpc_id      = aws_vpc.network.id
  tags        = merge(var.tags, { Name = "${local.name}-${each.key}" })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_vpc_security_group_ingress_rule" "open" {
  for_each = { for rule in local.rules : "${rule.group}/${rule.protocol}/${rule.from}/${rule.cidr}" => rule }

  security_group_id = aws_security_group.traffic[each.value.group].id
  ip_protocol       = each.value.protocol
  from_port         = each.value.from
  to_port           = each.value.to
  cidr_ipv4         = each.value.cidr
  description       = local.purposes[each.value.group]
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.traffic["service"].id
  ip_protocol       = "-1"
  cidr_ipv4         = local.anyone
  description       = "Everything out"
}

# Every resource of the cluster names its groups. Any other resource gets the VPC's default group, which allows no traffic.
resource "aws_default_security_group" "closed" {
  vpc_id = aws_vpc.network.id
  tags   = merge(var.tags, { Name = "${local.name}-closed" })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}
