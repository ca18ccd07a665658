#!/usr/bin/env bash
# Sets up what a command needs, and says what it does: npm packages, and as root the programs in requirements.json.
# usage: setup.sh [--tests | --hosts | --checks | --console | --conformance]
#   --tests: also what tests without real hosts need   --hosts: also what real hosts need   --checks: also what `npm run check` needs
#   --console: also what the tests of the web console need   --conformance: also what `npm run conformance` needs of Debian
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
  if [ "$major" -lt 24 ]; then
    say "Node 24 runs the sources here. npm has it for linux-x64 alone, and the Node of this machine is $(node --version): install Node 24"
    exit 1
  fi
fi

use=${1:-}
[ -n "$use" ] || exit 0
# Programs that are started from here must not hold the lock.
exec 9>&-
if [ "$use" = --checks ]; then
  local/hosts/install-packages.sh checks >&2 || say "the checks that need them are left out (in CI they fail)"
  exit 0
fi
if [ "$use" = --console ]; then
  local/hosts/install-packages.sh console >&2 || say "the tests of the console fail without it"
  exit 0
fi
if [ "$use" = --conformance ]; then
  local/hosts/install-packages.sh conformance >&2 || say "the tests that need them are skipped"
  exit 0
fi
export PATH="$root/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
if [ "$(id -u)" != 0 ]; then
  if [ "$use" = --tests ]; then local/hosts/install-packages.sh tests || say "the tests that need them will fail"; fi
  say "not root: nothing is installed, real hosts are not possible (the sim runner is)"
  exit 0
fi
# 3: it cannot be downloaded, which it says. Without it everything works but real hosts.
fetch() { NODE_USE_ENV_PROXY=1 node scripts/fetch-program.mjs "$1" || [ $? = 3 ]; }
# Before the packages: that of Debian 12 is too old, and is installed only where there is no kubectl at all.
fetch kubectl
local/hosts/install-packages.sh "${use#--}" >&2
scripts/install-ansible.sh >&2
if command -v go >/dev/null && node scripts/fetch-program.mjs tofu --lacks; then scripts/build-tofu.sh; else fetch tofu; fi
