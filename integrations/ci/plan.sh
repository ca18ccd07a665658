#!/usr/bin/env bash
# Validates and plans the documents of a change. Writes REPORT/report.md for people and REPORT/plans, the ids for apply.sh.
# Usage: plan.sh REPORT FILE…     Ends with 3 when a document has faults, which the report names.
set -euo pipefail
report=$1
shift
kubeloom=${KUBELOOM:-kubeloom}
files=()
for file in "$@"; do files+=(-f "$file"); done
mkdir -p "$report"
: >"$report/plans"

# A fence that no line of the output can end.
quoted() {
  local fence='```'
  while grep -qF -- "$fence" "$1"; do fence+='`'; done
  printf '%s\n' "$fence"
  # Comments have at most 65,536 characters.
  head -c 50000 "$1"
  [ "$(wc -c <"$1")" -le 50000 ] || printf '\n… shortened: the log of the job has all of it\n'
  printf '%s\n' "$fence"
}
finish() {
  { printf '### Kubeloom: %s\n\n' "$1"; quoted "$report/output"; } >"$report/report.md"
  cat "$report/output"
  exit "$2"
}

code=0
$kubeloom validate "${files[@]}" >"$report/output" 2>&1 || code=$?
[ "$code" = 0 ] || finish 'the documents have faults' "$code"
$kubeloom plan "${files[@]}" >"$report/output" 2>&1 || code=$?
[ "$code" != 3 ] || finish 'this is refused' 3
[ "$code" = 0 ] || finish 'this cannot be planned' "$code"
$kubeloom plan "${files[@]}" --json >"$report/plan.json"
jq -r '[.] | flatten | map(.id) | .[]' "$report/plan.json" >"$report/plans"
finish 'plan' 0
