# For `kubeloom provider test --full`: availability domains to choose from.
mock_data "oci_identity_availability_domains" {
  defaults = {
    availability_domains = [
      { name = "Uocm:REGION-1-AD-1" },
      { name = "Uocm:REGION-1-AD-2" },
      { name = "Uocm:REGION-1-AD-3" },
    ]
  }
}
