# For `kubeloom provider test --full`: ids of droplets are text here and a number where a volume is attached.
mock_resource "digitalocean_droplet" {
  defaults = {
    id = "1234567"
  }
}
