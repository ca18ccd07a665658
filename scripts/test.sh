#!/usr/bin/env bash
# The tests: `npm test [-- vitest arguments]`. Sets up what is missing first. Real hosts are tested when root: next to the unit
# tests, and after them on CI.
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
running=
trap '[ -z "$running" ] || { kill "$running" && wait "$running"; } 2>/dev/null || true; rm -rf "$reports"' EXIT
status=0
test_units() { "$@" vitest run --project unit --maxWorkers=2 --reporter=dot --reporter=json --outputFile.json="$reports/unit.json"; }
# $1: how many files at a time; most of their time is waiting for machines.
test_hosts() { exec vitest run --project hosts --fileParallelism --maxWorkers="$1" --reporter=verbose --reporter=json --outputFile.json="$reports/hosts.json"; }

if [ "$hosts" = 1 ] && [ "${CI:-}" != true ]; then
  test_hosts 5 >"$reports/hosts.log" 2>&1 &
  running=$!
  # They give way: machines that wait for a processor are slow, tests that wait for machines are not slower for it.
  test_units nice -n 5 || status=1
  tail -n +1 -f --pid="$running" "$reports/hosts.log"
  wait "$running" || status=1
  running=
else
  test_units || status=1
  if [ "$hosts" = 1 ]; then
    (test_hosts 3) || status=1
  elif [ "${CI:-}" = true ]; then
    echo "CI must run as root: the tests on real hosts are part of it" >&2
    status=1
  else
    echo "not root: the tests on real hosts were not run" >&2
  fi
fi
node scripts/count-tests.mjs "$reports"/*.json
exit $status
