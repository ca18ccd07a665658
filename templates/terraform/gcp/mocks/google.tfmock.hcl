# For `kubeloom provider test --full`: zones to choose from.
mock_data "google_compute_zones" {
  defaults = {
    names = ["europe-west1-b", "europe-west1-c", "europe-west1-d"]
  }
}
