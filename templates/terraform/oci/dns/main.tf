# Provider type oci, dns: the names of a load balancer. With several nodes a steering policy answers with those that live.

terraform {
  required_version = ">= 1.6"
  required_providers {
    oci = {
      source = "oracle/oci"
    }
  }
}

data "oci_dns_zones" "zone" {
  compartment_id = var.compartment_id
  name           = trimsuffix(var.zone, ".")

  lifecycle {
    postcondition {
      condition     = length(self.zones) > 0
      error_message = "The compartment of the Secret has no public DNS zone ${var.zone}: make it there before, or give the Secret its compartment."
    }
  }
}

locals {
  addresses = sort(distinct(var.addresses))
  domain    = trimsuffix(var.zone, ".")
  zone_id   = data.oci_dns_zones.zone.zones[0].id
  name      = "${var.hostname}.${local.domain}"
  names     = merge({ (var.hostname) = local.name }, { for name in var.alternative_names : name => "${name}.${local.domain}" })
  checked   = var.health_check_port != null && length(local.addresses) > 1
  once      = toset(local.checked ? ["nodes"] : [])
}

# The plain records: they answer where there is no policy, and whenever one is being replaced. By name: host name and
# alternative name may change places, and a record set that stays is not touched.
resource "oci_dns_rrset" "name" {
  for_each = local.names

  zone_name_or_id = local.zone_id
  domain          = each.value
  rtype           = "A"

  dynamic "items" {
    for_each = local.addresses
    content {
      domain = each.value
      rdata  = items.value
      rtype  = "A"
      ttl    = 300
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in oci_dns_rrset.name : key => record.id }
}

resource "oci_health_checks_ping_monitor" "nodes" {
  for_each = local.once

  compartment_id      = var.compartment_id
  display_name        = "${var.cluster_id}-${local.name}"
  protocol            = "TCP"
  port                = var.health_check_port
  targets             = local.addresses
  interval_in_seconds = 30
  timeout_in_seconds  = 10
  is_enabled          = true
  freeform_tags       = var.tags

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [freeform_tags["kubeloom-generation"]]
  }
}

resource "oci_dns_steering_policy" "nodes" {
  for_each = local.once

  compartment_id          = var.compartment_id
  display_name            = "${var.cluster_id}-${local.name}"
  template                = "LOAD_BALANCE"
  ttl                     = 60
  health_check_monitor_id = oci_health_checks_ping_monitor.nodes[each.key].id
  freeform_tags           = var.tags

  dynamic "answers" {
    for_each = local.addresses
    content {
      name  = answers.value
      rtype = "A"
      rdata = answers.value
    }
  }

  # The rules of the template, in its order.
  rules {
    rule_type = "FILTER"
    default_answer_data {
      answer_condition = "answer.isDisabled != true"
      should_keep      = true
    }
  }

  rules {
    rule_type = "HEALTH"
  }

  rules {
    rule_type = "WEIGHTED"
    dynamic "default_answer_data" {
      for_each = local.addresses
      content {
        answer_condition = "answer.name == '${default_answer_data.value}'"
        value            = 1
      }
    }
  }

  rules {
    rule_type     = "LIMIT"
    default_count = length(local.addresses)
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [freeform_tags["kubeloom-generation"]]
  }
}

# A name can have one policy alone, so the old attachment goes first; meanwhile the plain record answers.
resource "oci_dns_steering_policy_attachment" "name" {
  for_each = local.checked ? local.names : {}

  display_name       = "${var.cluster_id}-${each.value}"
  zone_id            = local.zone_id
  domain_name        = each.value
  steering_policy_id = oci_dns_steering_policy.nodes["nodes"].id

  depends_on = [terraform_data.cutover]
}
