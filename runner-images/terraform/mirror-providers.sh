#!/bin/sh
# Mirrors the plugins that providers.tf.json requires, unpacked: Terraform links to what is unpacked and copies nothing. Terraform checks what
# the registry signed; plugin-sums.json holds archives to the sums that were committed.
set -eu
out=${1:?usage: mirror-providers.sh DIRECTORY}
terraform providers mirror -platform="linux_$TARGETARCH" "$out"
here=$(cd "$(dirname "$0")" && pwd)
node "$here/unpack-plugins.mjs" "$here/plugin-sums.json" "$out"
