#!/usr/bin/env bash
# `npm run demo`: sets up what is missing, then the main job on this machine with its proofs.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --hosts
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
exec node demo/demo.ts "$@"
