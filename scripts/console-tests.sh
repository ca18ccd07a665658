#!/usr/bin/env bash
# The tests of the web console in a browser: `npm run console:test [-- vitest arguments]`. Sets up what is missing first.
# Ends with `console: N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --console
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
if [ $# -gt 0 ]; then exec vitest run --project console "$@"; fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
vitest run --project console --reporter=dot --reporter=json --outputFile.json="$report" || status=1
printf 'console: '
node scripts/count-tests.mjs "$report" || status=1
exit $status
