# For `kubeloom provider test --full`: ids are text, and numbers where others refer to them.
mock_resource "hcloud_firewall" {
  defaults = {
    id = "1234567"
  }
}

mock_resource "hcloud_server" {
  defaults = {
    id = "2345678"
  }
}

mock_resource "hcloud_volume" {
  defaults = {
    id = "3456789"
  }
}
