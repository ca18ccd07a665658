#!/usr/bin/env bash
# The tests: `npm test [-- vitest arguments]`. Sets up what is missing first. Real hosts are tested when root.
set -euo pipefail
cd "$(dirname "$0")/.."
hosts=0
[ "$(id -u)" = 0 ] && hosts=1
if [ "$hosts" = 1 ]; then scripts/setup.sh --hosts; else scripts/setup.sh --tests; fi
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
# The same code is loaded by hundreds of processes.
export NODE_COMPILE_CACHE="$PWD/node_modules/.cache/kubeloom-compiled"
if [ $# -gt 0 ]; then exec vitest run "$@"; fi

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
status=0
# One more than the cores of a small machine: some of the time of these files is waiting for a process.
vitest run --project unit --maxWorkers=3 --reporter=dot --reporter=json --outputFile.json="$reports/unit.json" || status=1
if [ "$hosts" = 1 ]; then
  # After the unit tests: next to them both are slower. Most of their time is waiting for machines: four files at a time.
  vitest run --project hosts --fileParallelism --maxWorkers=4 --reporter=verbose --reporter=json --outputFile.json="$reports/hosts.json" || status=1
elif [ "${CI:-}" = true ]; then
  echo "CI must run as root: the tests on real hosts are part of it" >&2
  status=1
else
  echo "not root: the tests on real hosts were not run" >&2
fi
node scripts/count-tests.mjs "$reports"/*.json
exit $status
