#!/bin/sh
# Fetches KubeOne releases as `kubeone-<release>`, each against its line in SHA256SUMS next to this script; one that has no line there, against
# the checksums published with it.
set -eu
sums=$(cd "$(dirname "$0")" && pwd)/SHA256SUMS
out=${1:?usage: fetch-releases.sh DIRECTORY}
mkdir -p "$out"
for release in $KUBEONE_RELEASES; do
  base=https://github.com/kubermatic/kubeone/releases/download/v$release
  archive=kubeone_${release}_linux_${TARGETARCH}.zip
  list=kubeone_${release}_checksums.txt
  if grep -q " kubeone_${release}_" "$sums" 2>/dev/null; then
    curl --fail --silent --show-error --location --remote-name "$base/$archive"
    grep " $archive\$" "$sums" > sum || { echo "SHA256SUMS has other archives of KubeOne $release, and not $archive" >&2; exit 1; }
  else
    curl --fail --silent --show-error --location --remote-name "$base/$archive" --remote-name "$base/$list"
    # A list without the archive would have nothing to check, and say so with success.
    grep " $archive\$" "$list" > sum
    echo "not in SHA256SUMS: $(cat sum)"
  fi
  sha256sum --check sum
  unzip -q -p "$archive" kubeone > "$out/kubeone-$release"
  chmod 755 "$out/kubeone-$release"
  rm -f "$archive" "$list" sum
done
