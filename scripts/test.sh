#!/usr/bin/env bash
# The tests: `npm test [-- vitest arguments]`. Sets up what is missing first. Real hosts are tested when root.
# Without arguments: all unit tests but the long ones (`*.long.test.ts`), next to one journey on real hosts.
# --rest: what that leaves out. --all: everything.
set -euo pipefail
cd "$(dirname "$0")/.."
hosts=0
[ "$(id -u)" = 0 ] && hosts=1
if [ "$hosts" = 1 ]; then scripts/setup.sh --hosts; else scripts/setup.sh --tests; fi
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
# The same code is loaded by hundreds of processes.
export NODE_COMPILE_CACHE="$PWD/node_modules/.cache/kubeloom-compiled"
part=${1:-short}
case $part in short | --rest | --all) ;; *) exec vitest run "$@" ;; esac

journey=test/hosts/main-job.test.ts
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
status=0
unit() { vitest run --project unit --reporter=dot --reporter=json --outputFile.json="$reports/unit-$part.json" "$@" || status=1; }
on_hosts() {
  vitest run --project hosts --fileParallelism --reporter=verbose --reporter=json --outputFile.json="$reports/hosts-$part.json" "$@"
}

if [ "$hosts" = 0 ]; then
  if [ "${CI:-}" = true ]; then
    echo "CI must run as root: the tests on real hosts are part of it" >&2
    status=1
  else
    echo "not root: the tests on real hosts were not run" >&2
  fi
fi
# One worker more than the cores of a small machine: some of the time of these files is waiting for a process.
case $part in
  short)
    # The journey waits for machines most of its time. What it prints is shown when the unit tests are done.
    journal=$reports/journey.txt
    [ "$hosts" = 0 ] || { on_hosts "$journey" >"$journal" 2>&1 & }
    KUBELOOM_TEST_PART=short unit --maxWorkers=3
    [ "$hosts" = 0 ] || { wait $! || status=1; cat "$journal"; }
    ;;
  --rest) unit --maxWorkers=3 .long.test.ts ;;
  --all) unit --maxWorkers=3 ;;
esac
if [ "$hosts" = 1 ] && [ "$part" != short ]; then
  # After the unit tests: next to them both are slower. Most of their time is waiting for machines: four files at a time.
  if [ "$part" = --rest ]; then export KUBELOOM_TEST_PART=rest; fi
  on_hosts --maxWorkers=4 || status=1
fi
node scripts/count-tests.mjs "$reports"/*.json
exit $status
