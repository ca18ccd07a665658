#!/usr/bin/env bash
# Builds HashiCorp Vault from its public Go module into ~/.kubeloom/bin, for `npm run conformance`.
# The module replaces its own parts (api, sdk) by folders that a module archive does not hold: the published ones do.
# Builds Vault's own `minimal` set of plugins (KV, AppRole, JWT, …) plus AWS auth; storage is what that set has.
set -euo pipefail
version=${1:-v1.21.4}
target=${KUBELOOM_HOME:-$HOME/.kubeloom}/bin
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
echo "setup: building Vault $version with $(go version | cut -d' ' -f3) (many minutes)" >&2
source_dir=$(go mod download -json "github.com/hashicorp/vault@$version" | sed -n 's/^\t*"Dir": "\(.*\)",*$/\1/p')
cp -r "$source_dir/." "$work/"
chmod -R u+w "$work"
cd "$work"
sed -nE 's/^replace ([^ ]+) => \.\/.*/\1/p' go.mod | while read -r path; do go mod edit -dropreplace="$path"; done
# The version of the module `sdk` that belongs to it was never published: the closest one differs in two functions that
# are not used here, one of the identity store, one of transit.
sed -i -E 's/(\) activateDeduplication\(ctx context.Context, req \*logical.Request)\)/\1, _ string)/' vault/identity_store*.go
sed -i -E 's/(idStoreBackend\.ActivationFunc\([^)]*nil)\)/\1, "")/' vault/logical_system_activation_flags.go
sed -i -E 's/, err := b\.lm\.RestorePolicy\(/, err := "", b.lm.RestorePolicy(/' builtin/logical/transit/path_restore.go
# The user interface is no part of the module archive; its folder must not be empty.
mkdir -p http/web_ui && echo none >http/web_ui/index.html
cat >helper/builtinplugins/registry_min.go <<'GO'
//go:build minimal

package builtinplugins

import credAws "github.com/hashicorp/vault/builtin/credential/aws"

func extendAddonPlugins(reg *registry) {
	reg.credentialBackends["aws"] = credentialBackend{Factory: credAws.Factory}
}
GO
CGO_ENABLED=0 GOFLAGS=-mod=mod nice -n 19 go build -tags minimal -p "${KUBELOOM_BUILD_JOBS:-1}" -trimpath -ldflags "-s -w" -o "$work/vault-server" .
mkdir -p "$target"
install -m 0755 "$work/vault-server" "$target/vault"
echo "setup: $("$target/vault" version | head -1) in $target" >&2
