#!/bin/sh
# Fetches KubeOne releases as `kubeone-<release>`, each against the checksums published with it.
set -eu
out=${1:?usage: fetch-releases.sh DIRECTORY}
mkdir -p "$out"
for release in $KUBEONE_RELEASES; do
  base=https://github.com/kubermatic/kubeone/releases/download/v$release
  archive=kubeone_${release}_linux_${TARGETARCH}.zip
  sums=kubeone_${release}_checksums.txt
  curl --fail --silent --show-error --location --remote-name "$base/$archive" --remote-name "$base/$sums"
  # A list without the archive would have nothing to check, and say so with success.
  grep " $archive\$" "$sums" > sum
  sha256sum --check sum
  unzip -q -p "$archive" kubeone > "$out/kubeone-$release"
  chmod 755 "$out/kubeone-$release"
  rm "$archive" "$sums" sum
done
