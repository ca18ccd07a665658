# Provider type verda, network: Verda has none to make, and no firewall; what the pools need is handed on.

terraform {
  required_version = ">= 1.6"
}
