#!/bin/sh
# Fetches KubeOne releases as `kubeone-<release>`, each against the checksums published with it.
set -eu
out=${1:?usage: fetch-releases.sh DIRECTORY}
mkdir -p "$out"
for release in $KUBEONE_RELEASES; do
  base=https://github.com/kubermatic/kubeone/releases/download/v$release
  archive=kubeone_${release}_linux_${TARGETARCH}.zip
  curl --fail --silent --show-error --location --remote-name "$base/$archive"
  curl --fail --silent --show-error --location "$base/kubeone_${release}_checksums.txt" | grep " $archive\$" | sha256sum --check
  unzip -q -p "$archive" kubeone > "$out/kubeone-$release"
  chmod 755 "$out/kubeone-$release"
  rm "$archive"
done
