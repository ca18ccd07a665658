#!/bin/sh
# Fetches kubectl and holds it against the checksum in the Dockerfile.
set -eu
out=${1:?usage: fetch-kubectl.sh DIRECTORY}
case $TARGETARCH in
  arm64) sum=$KUBECTL_SHA256_ARM64 ;;
  amd64) sum=$KUBECTL_SHA256_AMD64 ;;
  *) echo "there is no checksum of kubectl for $TARGETARCH" >&2 && exit 1 ;;
esac
curl --fail --silent --show-error --location --remote-name \
  "https://dl.k8s.io/release/v$KUBECTL_VERSION/bin/linux/$TARGETARCH/kubectl"
echo "$sum  kubectl" | sha256sum --check
install -D -m 755 kubectl "$out/kubectl"
