# Provider type aws, network: a VPC with a way to the internet, and the firewall as security groups.

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

locals {
  name   = "${var.cluster_id}-${var.provider_name}-${var.region}"
  anyone = "0.0.0.0/0"
}

resource "aws_vpc" "network" {
  # checkov:skip=CKV2_AWS_11:Flow logs cost money by the gigabyte and are the account owner's choice: VPC, subnet or organisation wide
  cidr_block           = var.cidr
  enable_dns_support   = true
  enable_dns_hostnames = true
  tags                 = merge(var.tags, { Name = local.name })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_internet_gateway" "internet" {
  vpc_id = aws_vpc.network.id
  tags   = merge(var.tags, { Name = local.name })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.network.id
  tags   = merge(var.tags, { Name = local.name })

  lifecycle {
    ignore_changes = [tags["kubeloom-generation"]]
  }
}

resource "aws_route" "internet" {
  route_table_id         = aws_route_table.public.id
  destination_cidr_block = local.anyone
  gateway_id             = aws_internet_gateway.internet.id
}

# Zones of every state: one that is in trouble for an hour must not change where machines belong.
data "aws_availability_zones" "region" {
  # checkov:skip=CKV_AWS_394:A zone that AWS adds may serve new nodes; the range of a zone follows from its letter, and machines ignore a change of subnet_id
  filter {
    name   = "zone-type"
    values = ["availability-zone"]
  }
}
