#!/usr/bin/env bash
# One step of the action: on a pull request plan and comment, on a push carry out the plans of the pull request that was merged.
set -euo pipefail
shopt -s inherit_errexit
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
read -ra files <<<"${KUBELOOM_FILES:?}"
report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT

case ${GITHUB_EVENT_NAME:?} in
pull_request)
  number=$(jq -r .pull_request.number "${GITHUB_EVENT_PATH:?}")
  code=0
  "$here/../ci/plan.sh" "$report" "${files[@]}" || code=$?
  # The ids are for the merge; they are no secrets.
  { cat "$report/report.md"; printf '\n<!-- kubeloom-ids %s -->\n' "$(tr '\n' ' ' <"$report/plans")"; } >"$report/comment.md"
  "$here/github.sh" put-comment "$number" "$report/comment.md"
  exit "$code"
  ;;
push)
  number=$("$here/github.sh" merged-request "${GITHUB_SHA:?}")
  if [ -z "$number" ]; then
    echo "kubeloom: commit $GITHUB_SHA came from no merged pull request: nothing was planned, so nothing is applied" >&2
    exit 3
  fi
  "$here/github.sh" comment "$number" | jq -r .body | sed -n 's/^<!-- kubeloom-ids \(.*\) -->$/\1/p' | tail -n 1 | tr ' ' '\n' >"$report/plans"
  "$here/../ci/apply.sh" "$report/plans" "${files[@]}"
  ;;
*)
  echo "kubeloom: the event $GITHUB_EVENT_NAME is neither pull_request nor push" >&2
  exit 2
  ;;
esac
