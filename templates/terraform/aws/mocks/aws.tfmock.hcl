# For `kubeloom provider test --full`: zones to choose from.
mock_data "aws_availability_zones" {
  defaults = {
    names = ["region-1a", "region-1b", "region-1c"]
  }
}
