#!/usr/bin/env bash
# Renews the pins of runner-images/ where registries can be reached: digests of base images in the Dockerfile, and the lock file of
# the mirrored Terraform plugins; prints the checksums of the KubeOne releases. Needs docker (buildx), terraform, curl. Read the diff.
set -euo pipefail
cd "$(dirname "$0")/.."
dockerfile=runner-images/Dockerfile
for tool in docker terraform curl node; do
  command -v "$tool" > /dev/null || { echo "pin-images.sh needs $tool" >&2; exit 1; }
done

# `name:tag@sha256:…` of every base image.
sed -nE 's/^ARG [A-Z]+_IMAGE=//p' "$dockerfile" | while read -r reference; do
  tagged=${reference%@*}
  digest=$(docker buildx imagetools inspect "$tagged" --format '{{.Manifest.Digest}}')
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "no digest of $tagged" >&2; exit 1; }
  sed -i "s|^\(ARG [A-Z]*_IMAGE=\)${reference}\$|\1${tagged}@${digest}|" "$dockerfile"
  echo "$tagged@$digest"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node runner-images/terraform/provider-requirements.mjs templates/terraform > "$work/providers.tf.json"
terraform -chdir="$work" providers lock -platform=linux_arm64 -platform=linux_amd64
cp "$work/.terraform.lock.hcl" runner-images/terraform/.terraform.lock.hcl

releases=$(sed -nE 's/^ARG KUBEONE_RELEASES="([^"]+)"/\1/p' "$dockerfile")
for release in $releases; do
  curl --fail --silent --show-error --location \
    "https://github.com/kubermatic/kubeone/releases/download/v$release/kubeone_${release}_checksums.txt" | grep _linux_
done
