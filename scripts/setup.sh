#!/usr/bin/env bash
# Sets up what a command needs, and says what it does: npm packages, and Debian packages when root.
# usage: setup.sh [--hosts]   --hosts: also what real hosts on this machine need
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
say() { printf 'setup: %s\n' "$*" >&2; }

# One at a time: two `npm ci` in one checkout take each other's files away.
mkdir -p .kubeloom
exec 9>.kubeloom/setup.lock
if command -v flock >/dev/null; then flock 9; fi

stamp=node_modules/.kubeloom-lock
if ! [ -e "$stamp" ] || ! cmp -s package-lock.json "$stamp"; then
  say "installing npm packages (npm ci)"
  npm ci --no-fund --no-audit --loglevel=error >&2
  cp package-lock.json "$stamp"
fi

if ! node_modules/.bin/node --version >/dev/null 2>&1; then
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 24 ] || { say "Node 24 is needed: no npm build of it for this machine, and the system has $(node --version)"; exit 1; }
fi

[ "${1:-}" = --hosts ] || exit 0
# Programs that are started from here must not hold the lock.
exec 9>&-
if [ "$(id -u)" = 0 ]; then
  local/hosts/install-packages.sh >&2
  if ! command -v kubectl >/dev/null; then
    say "installing kubectl (Debian package kubernetes-client)"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q kubernetes-client >&2
  fi
  if ! command -v terraform >/dev/null && ! command -v tofu >/dev/null; then
    if command -v go >/dev/null; then scripts/build-tofu.sh; else say "neither terraform nor tofu is here: see npx kubeloom doctor"; fi
  fi
else
  say "not root: nothing is installed, real hosts are not possible (the sim runner is)"
fi
