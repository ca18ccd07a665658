#!/usr/bin/env bash
# Renews the pins of runner-images/ where registries can be reached: digests of base images in the Dockerfile, the sums of the Terraform
# plugins (terraform/plugin-sums.json) and of the KubeOne releases (kubeone/SHA256SUMS). Needs docker (buildx), terraform, curl. Read the diff.
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
for platform in linux_amd64 linux_arm64; do
  terraform -chdir="$work" providers mirror -platform="$platform" "$work/mirror"
done
# shellcheck disable=SC2016 # the program is JavaScript
node -e '
  const [mirror, file] = process.argv.slice(1);
  const { createHash } = require("node:crypto");
  const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
  const sums = {};
  for (const path of readdirSync(mirror, { recursive: true }).filter((name) => name.endsWith(".zip")).sort()) {
    const parts = path.split("/");
    const [, version, platform] = /_([^_]+)_([a-z]+_[a-z0-9]+)\.zip$/.exec(path);
    const plugin = (sums[parts.slice(-3, -1).join("/")] ??= { version, sha256: {} });
    plugin.sha256[platform] = createHash("sha256").update(readFileSync(`${mirror}/${path}`)).digest("hex");
  }
  writeFileSync(file, `${JSON.stringify(sums, null, 2)}\n`);
' "$work/mirror" runner-images/terraform/plugin-sums.json

releases=$(sed -nE 's/^ARG KUBEONE_RELEASES="([^"]+)"/\1/p' "$dockerfile")
for release in $releases; do
  curl --fail --silent --show-error --location \
    "https://github.com/kubermatic/kubeone/releases/download/v$release/kubeone_${release}_checksums.txt" |
    grep -E " kubeone_${release}_linux_(amd64|arm64)\.zip$"
done > "$work/SHA256SUMS"
cp "$work/SHA256SUMS" runner-images/kubeone/SHA256SUMS
