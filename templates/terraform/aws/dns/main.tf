# Provider type aws, dns: one record set for each address, so that each can have a health check of its own.

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

locals {
  zone = trimsuffix(var.zone, ".")
  # By place, not by address: a machine that is recreated changes its record in one step, and the name is never empty.
  records = { for place, address in var.addresses : tostring(place) => address }
  names = { for pair in setproduct(concat([var.hostname], var.alternative_names), keys(local.records)) :
    "${pair[0]}/${pair[1]}" => { hostname = pair[0], place = pair[1] }
  }
  checked = length(var.addresses) > 1 && var.health_check_port != null ? local.records : {}
}

data "aws_route53_zone" "zone" {
  name         = var.zone
  private_zone = false
}

resource "aws_route53_health_check" "node" {
  for_each = local.checked

  type              = "TCP"
  ip_address        = each.value
  port              = var.health_check_port
  request_interval  = 30
  failure_threshold = 3
  tags              = merge(var.tags, { Name = "${var.hostname}.${local.zone} ${each.key}" })

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags["kubeloom-generation"]]
  }
}

# Multivalue also with one address: a name cannot have simple and other records at once, not even for a moment. By name:
# host name and alternative name may change places, and a record that stays is not touched.
resource "aws_route53_record" "name" {
  # checkov:skip=CKV2_AWS_23:The addresses are those of nodes, in this or any other cloud
  for_each = local.names

  zone_id                          = data.aws_route53_zone.zone.zone_id
  name                             = "${each.value.hostname}.${local.zone}"
  type                             = "A"
  ttl                              = 300
  records                          = [local.records[each.value.place]]
  set_identifier                   = "${var.cluster_id}-${each.value.place}"
  multivalue_answer_routing_policy = true
  health_check_id                  = try(aws_route53_health_check.node[each.value.place].id, null)

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in aws_route53_record.name : key => record.id }
}
