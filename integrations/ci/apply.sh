#!/usr/bin/env bash
# Carries out exactly the plans whose ids are in the file PLANS, or refuses and says what moved.
# Usage: apply.sh PLANS FILE…     Ends with 5 when a plan moved, 6 or 10 to 15 when a run failed, 9 when a plan has to be approved first.
set -euo pipefail
plans=$1
shift
kubeloom=${KUBELOOM:-kubeloom}
files=()
for file in "$@"; do files+=(-f "$file"); done
mapfile -t ids < <(grep -xE '[0-9a-f]{40}' "$plans")
if [ "${#ids[@]}" = 0 ]; then
  echo "apply.sh: $plans has no id of a plan: plan this change first" >&2
  exit 3
fi
exec $kubeloom apply "${files[@]}" --plan "${ids[@]}" --wait
