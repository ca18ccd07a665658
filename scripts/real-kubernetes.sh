#!/usr/bin/env bash
# The tests on real Kubernetes: `npm run kubernetes:test [-- vitest arguments]`. Builds its parts where they lack (Go is needed), then
# makes, grows, upgrades, shrinks and deletes a cluster on local hosts. Without Go it says so and tests nothing.
# Ends with `kubernetes: N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v go >/dev/null; then
  echo "not tested on real Kubernetes: there is no go here to build it with" >&2
  echo "kubernetes: 0 passed, 0 failed"
  exit 0
fi
scripts/setup.sh --hosts
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
npm run --silent kubernetes:build
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
vitest run --project kubernetes --no-file-parallelism --reporter=verbose --reporter=json --outputFile.json="$report" "$@" || status=1
echo "kubernetes: $(node scripts/count-tests.mjs "$report")"
exit $status
