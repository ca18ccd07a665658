# Provider type aws, nodepool: subnets, a key pair, and for each node an instance with a fixed address and maybe a disk.

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

locals {
  # The range of a zone follows from the zone's letter alone: no other zone, pool or node can change it.
  subnets = var.pool.zone != null ? { (var.pool.zone) = var.pool.subnet } : {
    for zone in var.network.zones :
    zone => cidrsubnet(var.pool.subnet, 2, index(["a", "b", "c", "d"], substr(zone, -1, 1)))
  }
  zones = sort(keys(local.subnets))
  nodes = { for name, node in var.nodes : name => {
    cloud_name = "${var.network.cluster_id}-${name}"
    zone       = element(local.zones, parseint(substr(name, -2, 2), 16))
  } }
  nodes_with_disk = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? local.nodes : {}

  # Tags of a block cannot be ignored one by one.
  lasting_tags = { for key, value in var.tags : key => value if key != "kubeloom-generation" }
}

resource "aws_subnet" "pool" {
  for_each = local.subnets

  vpc_id            = var.network.vpc_id
  availability_zone = each.key
  cidr_block        = each.value
  tags              = merge(var.tags, { Name = "${var.network.cluster_id}-${var.pool.id}-${each.key}" })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_route_table_association" "pool" {
  for_each = local.subnets

  subnet_id      = aws_subnet.pool[each.key].id
  route_table_id = var.network.route_table_id
}

resource "aws_key_pair" "pool" {
  key_name   = "${var.network.cluster_id}-${var.pool.id}"
  public_key = var.ssh_public_key
  tags       = var.tags

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_instance" "node" {
  # checkov:skip=CKV_AWS_126:Detailed monitoring costs money for each machine
  # checkov:skip=CKV_AWS_135:All current types are EBS-optimised automatically, and AWS refuses the argument for types that cannot be
  # checkov:skip=CKV2_AWS_41:A role would give every container on the machine rights in the account; nodes need none
  for_each = local.nodes

  ami           = var.pool.image
  instance_type = coalesce(var.nodes[each.key].server_type, var.pool.server_type)
  # A machine that was taken away comes back where its disk is.
  subnet_id              = aws_subnet.pool[try(aws_ebs_volume.data[each.key].availability_zone, each.value.zone)].id
  vpc_security_group_ids = var.network.security_group_ids
  key_name               = aws_key_pair.pool.key_name
  user_data              = replace(var.first_boot, "@node@", each.key)
  tags                   = merge(var.tags, { Name = each.value.cloud_name })

  # One hop: containers cannot reach the metadata service.
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    volume_type           = "gp3"
    volume_size           = var.pool.role == "loadBalancer" ? 50 : 100
    encrypted             = true
    delete_on_termination = true
    tags                  = merge(local.lasting_tags, { Name = each.value.cloud_name })
  }

  dynamic "instance_market_options" {
    for_each = var.pool.spot ? ["spot"] : []

    content {
      market_type = "spot"

      spot_options {
        spot_instance_type             = "one-time"
        instance_interruption_behavior = "terminate"
      }
    }
  }

  lifecycle {
    # A region that gains a zone changes whose turn it is: machines that exist stay where they are.
    ignore_changes = [ami, user_data, key_name, subnet_id, tags["kubeloom-generation"]]
  }
}

resource "aws_eip" "node" {
  for_each = local.nodes

  domain = "vpc"
  tags   = merge(var.tags, { Name = each.value.cloud_name })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_eip_association" "node" {
  for_each = local.nodes

  allocation_id = aws_eip.node[each.key].id
  instance_id   = aws_instance.node[each.key].id
}
