#!/usr/bin/env bash
# in-clone.sh COMMAND…: runs a program of this clone, or a file of it with `node`. Sets up npm packages first, so it also works as the first
# command in a clone, and with the Node 20 of Debian: the Node that runs the sources is one of the packages.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/setup.sh"
export PATH="$root/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
exec "$@"
