#!/usr/bin/env bash
# Builds OpenTofu from its public Go module into ~/.kubeloom/bin, for machines without terraform.
# `go install` refuses a module with replace directives, so a module of our own requires it and repeats them.
set -euo pipefail
version=${1:-v$(node -p 'require(process.argv[1]).downloads.tofu.version' "$(cd "$(dirname "$0")/.." && pwd)/requirements.json")}
target=${KUBELOOM_HOME:-$HOME/.kubeloom}/bin
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
echo "setup: building OpenTofu $version with $(go version | cut -d' ' -f3) (some minutes)" >&2
cd "$work"
source_dir=$(go mod download -json "github.com/opentofu/opentofu@$version" | sed -n 's/^\t*"Dir": "\(.*\)",*$/\1/p')
go mod init kubeloom.local/tofu >/dev/null 2>&1
go mod edit -require="github.com/opentofu/opentofu@$version"
# A replace line is `old [version] => new version`, alone after the word replace or within a block.
sed -nE '/^replace \(/,/^\)/{/=>/p}; s/^replace ([^(].*=>.*)/\1/p' "$source_dir/go.mod" | sed -E 's://.*::' |
  awk -F' *=> *' '{split($1, old, " "); split($2, new, " "); sub(/^[ \t]+/, "", old[1]); print old[1], new[1], new[2]}' |
  sort -u | while read -r old new at; do go mod edit -replace="$old=$new@$at"; done
printf 'package tofu\n\nimport _ "github.com/opentofu/opentofu/cmd/tofu"\n' >deps.go
GOFLAGS=-mod=mod go build -trimpath -ldflags "-s -w -X github.com/opentofu/opentofu/version.dev=no" -o "$work/tofu" github.com/opentofu/opentofu/cmd/tofu
mkdir -p "$target"
install -m 0755 "$work/tofu" "$target/tofu"
echo "setup: $("$target/tofu" version | head -1) in $target" >&2
