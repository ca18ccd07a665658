# Provider type gcp, dns: the names of a load balancer in a managed zone; with several nodes, only those are answered that live.

terraform {
  required_version = ">= 1.6"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

data "google_dns_managed_zone" "zone" {
  name = var.zone
}

locals {
  addresses = sort(distinct(var.addresses))
  domain    = data.google_dns_managed_zone.zone.dns_name
  name      = "${var.hostname}.${local.domain}"
  checked   = var.health_check_port != null && length(local.addresses) > 1

  # Routing policies with and without a health check cannot be turned into each other without the record being gone for a moment. So
  # what is checked has a name of its own, and the names that people use point to it: that change is made at once.
  answer = local.checked ? { type = "CNAME", values = [google_dns_record_set.checked["nodes"].name] } : { type = "A", values = local.addresses }
}

resource "google_compute_health_check" "nodes" {
  for_each = toset(local.checked ? ["nodes"] : [])

  name                = "${replace(var.cluster_id, "/^[0-9]/", "k")}-dns-${substr(sha1("${var.zone}/${var.hostname}"), 0, 8)}"
  description         = "Kubeloom: nodes behind ${var.hostname} of cluster ${var.cluster_id}"
  check_interval_sec  = 30
  timeout_sec         = 5
  healthy_threshold   = 2
  unhealthy_threshold = 2
  # Exactly three: the check is for DNS alone then, and reaches addresses anywhere.
  source_regions = ["asia-southeast1", "europe-west1", "us-east1"]

  tcp_health_check {
    port = var.health_check_port
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_dns_record_set" "checked" {
  for_each = toset(local.checked ? ["nodes"] : [])

  managed_zone = data.google_dns_managed_zone.zone.name
  name         = "kubeloom-nodes.${local.name}"
  type         = "A"
  ttl          = 60

  routing_policy {
    health_check = google_compute_health_check.nodes["nodes"].id

    # One address for each item: zones with DNSSEC take no more.
    dynamic "wrr" {
      for_each = local.addresses
      content {
        weight = 1
        health_checked_targets {
          external_endpoints = [wrr.value]
        }
      }
    }
  }

  lifecycle {
    create_before_destroy = true
    # The check goes and comes with the record's name alone; the API may call it by its whole URL.
    ignore_changes = [routing_policy[0].health_check]
  }
}

# By name: host name and alternative name may change places, and a record that stays is not touched.
resource "google_dns_record_set" "name" {
  for_each = toset(concat([var.hostname], var.alternative_names))

  managed_zone = data.google_dns_managed_zone.zone.name
  name         = "${each.key}.${local.domain}"
  type         = local.answer.type
  ttl          = 300
  rrdatas      = local.answer.values

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on every record, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = { for key, record in google_dns_record_set.name : key => record.id }
}
