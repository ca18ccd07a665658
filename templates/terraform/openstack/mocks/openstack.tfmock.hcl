# For `kubeloom provider test --full`: an image that is there, a network to dial out by, and ports with addresses.
mock_data "openstack_images_image_ids_v2" {
  defaults = {
    ids = ["0f1e2d3c-0000-4000-8000-000000000001"]
  }
}

mock_data "openstack_networking_network_v2" {
  defaults = {
    id = "0f1e2d3c-0000-4000-8000-000000000002"
  }
}

mock_resource "openstack_networking_port_v2" {
  defaults = {
    all_fixed_ips = ["192.0.2.7"]
  }
}
