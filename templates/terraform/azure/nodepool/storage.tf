# The empty extra disk of worker nodes.

locals {
  nodes_with_disk = var.pool.role == "compute" && var.pool.storage_disk_size > 0 ? local.nodes : {}
  # Any number that nothing else of a machine uses.
  lun = 37
  # Two globs: azure-vm-utils links SCSI and NVMe disks, older images have only the agent's links, for SCSI.
  device = "/dev/disk/azure/data/by-lun/${local.lun} /dev/disk/azure/scsi1/lun${local.lun}"
}

resource "azurerm_managed_disk" "data" {
  # checkov:skip=CKV_AZURE_93:Encrypted with Azure's keys; a disk encryption set needs a key vault of the account's
  for_each = local.nodes_with_disk

  name                 = "${each.value.cloud_name}-d"
  resource_group_name  = var.network.resource_group_name
  location             = var.network.location
  zone                 = each.value.zone
  storage_account_type = "StandardSSD_LRS"
  create_option        = "Empty"
  disk_size_gb         = var.pool.storage_disk_size
  # No links to download the disk by; its machine reaches it all the same.
  public_network_access_enabled = false
  tags                          = var.tags

  lifecycle {
    ignore_changes = [zone, tags["kubeloom-generation"]]
  }
}

resource "azurerm_virtual_machine_data_disk_attachment" "data" {
  for_each = local.nodes_with_disk

  managed_disk_id    = azurerm_managed_disk.data[each.key].id
  virtual_machine_id = azurerm_linux_virtual_machine.node[each.key].id
  lun                = local.lun
  caching            = "None"
}
