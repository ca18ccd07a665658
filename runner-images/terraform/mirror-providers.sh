#!/bin/sh
# Mirrors the plugins that providers.tf.json requires, unpacked: Terraform links to what is unpacked and copies nothing. The registry's
# checksums are signed; with a .terraform.lock.hcl next to this script (scripts/pin-images.sh) they must also be those of then.
set -eu
out=${1:?usage: mirror-providers.sh DIRECTORY}
terraform providers mirror -platform="linux_$TARGETARCH" "$out"
find "$out" -name 'terraform-provider-*.zip' | while read -r archive; do
  version=$(basename "$archive" | cut -d_ -f2)
  target=$(dirname "$archive")/$version/linux_$TARGETARCH
  mkdir -p "$target"
  unzip -q "$archive" -d "$target"
  rm "$archive"
done
