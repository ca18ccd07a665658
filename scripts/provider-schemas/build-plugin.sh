#!/usr/bin/env bash
# build-plugin.sh MODULE@VERSION FILE: builds the provider plugin of a Go module, unless FILE is there already.
# `go install` refuses a module with replace directives, so a module of our own requires it and repeats them.
set -euo pipefail
module=${1%@*} version=${1##*@} target=$2
[ -x "$target" ] && exit 0
mkdir -p "$(dirname "$target")"
# In the target's directory: Go writes gigabytes meanwhile, and /tmp may be cleaned within the hour that the build takes.
work=$(mktemp -d "$(dirname "$target")/.building.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
# No detour to the source host: what the module proxy does not have is not built.
GOPROXY=$(go env GOPROXY | sed -E 's/[,|]direct$//')
export GOPROXY GOFLAGS="-mod=mod -p=${KUBELOOM_BUILD_JOBS:-2}" GOTMPDIR=$work
fetched=$(go mod download -json "$module@$version")
source_dir=$(sed -n 's/^\t*"Dir": "\(.*\)",*$/\1/p' <<<"$fetched")
exact=$(sed -n 's/^\t*"Version": "\(.*\)",*$/\1/p' <<<"$fetched")
go mod init kubeloom.local/plugin >/dev/null 2>&1
go mod edit -require="$module@$exact" -go="$(sed -n 's/^go //p' "$source_dir/go.mod")"
# A replace line is `old [version] => new version`, alone after the word replace or within a block.
sed -nE '/^replace \(/,/^\)/{/=>/p}; s/^replace ([^(].*=>.*)/\1/p' "$source_dir/go.mod" | sed -E 's://.*::' |
  awk -F' *=> *' '{split($1, old, " "); split($2, new, " "); sub(/^[ \t]+/, "", old[1]); print old[1], new[1], new[2]}' |
  sort -u | while read -r old new at; do go mod edit -replace="$old=$new@$at"; done
printf 'package plugin\n\nimport _ "%s"\n' "$module" >deps.go
echo "provider-schemas: building $module $exact, once, for $target; the largest take an hour" >&2
nice -n 19 go build -trimpath -ldflags '-s -w' -o "$work/plugin" "$module"
install -m 0755 "$work/plugin" "$target"
echo "provider-schemas: built $module $exact in $((SECONDS / 60)) min $((SECONDS % 60)) s" >&2
