# Provider type cloudflare, dns: an A record for each name and address, or a load balancer for each name.

terraform {
  required_version = ">= 1.6"
  required_providers {
    cloudflare = {
      source = "cloudflare/cloudflare"
    }
  }
}

locals {
  names = { for name in concat([var.hostname], var.alternative_names) : name => "${name}.${var.zone}" }
  about = substr("kubeloom ${var.installation}, cluster ${var.cluster_id}", 0, 100)

  # One address needs no check: there is nothing to fall back to. Whether the account has paid is no secret.
  wants_balancer = nonsensitive(var.load_balancing) == "true"
  balanced       = local.wants_balancer && length(var.addresses) > 1 && var.health_check_port != null

  # Keyed by name and address: a record that stays is not touched when another one comes or goes.
  records = { for pair in local.balanced ? [] : setproduct(keys(local.names), var.addresses) :
    "${pair[0]} ${pair[1]}" => { name = local.names[pair[0]], address = pair[1] }
  }
  balancers = local.balanced ? local.names : {}
  pools     = local.balanced ? { pool = "${var.cluster_id}-${substr(sha1("${var.hostname}.${var.zone}"), 0, 8)}" } : {}
}

# The account as well: a zone of the same name may be waiting in another account that the token can see.
data "cloudflare_zone" "zone" {
  filter = {
    name    = var.zone
    account = { id = var.account_id }
  }
}

resource "cloudflare_dns_record" "name" {
  for_each = local.records

  zone_id = data.cloudflare_zone.zone.zone_id
  name    = each.value.name
  type    = "A"
  content = each.value.address
  ttl     = 300
  proxied = false
  comment = local.about

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [comment]
  }
}

resource "cloudflare_load_balancer_monitor" "name" {
  for_each = local.pools

  account_id  = var.account_id
  description = local.about
  type        = "tcp"
  port        = var.health_check_port
  interval    = 60
  timeout     = 5
  retries     = 2

  lifecycle {
    create_before_destroy = true
  }
}

resource "cloudflare_load_balancer_pool" "name" {
  for_each = local.pools

  account_id  = var.account_id
  name        = each.value
  description = local.about
  monitor     = cloudflare_load_balancer_monitor.name[each.key].id
  origins = [for address in sort(var.addresses) : {
    name    = address
    address = address
    enabled = true
  }]
  origin_steering = { policy = "random" }
}

resource "cloudflare_load_balancer" "name" {
  for_each = local.balancers

  zone_id         = data.cloudflare_zone.zone.zone_id
  name            = each.value
  description     = local.about
  default_pools   = [for pool in cloudflare_load_balancer_pool.name : pool.id]
  fallback_pool   = one([for pool in cloudflare_load_balancer_pool.name : pool.id])
  proxied         = false
  steering_policy = "off"
  ttl             = 30

  lifecycle {
    create_before_destroy = true
  }
}

# Depends on all of them, so that Terraform removes what is no longer wanted only after what is new is there.
resource "terraform_data" "cutover" {
  input = merge(
    { for key, record in cloudflare_dns_record.name : key => record.id },
    { for key, balancer in cloudflare_load_balancer.name : key => balancer.id },
  )
}
