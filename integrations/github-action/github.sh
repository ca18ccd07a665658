#!/usr/bin/env bash
# The comment of a pull request, through the API of GitHub. Needs GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN.
# Usage: github.sh comment NUMBER | put-comment NUMBER FILE | merged-request COMMIT
set -euo pipefail
shopt -s inherit_errexit
marker='<!-- kubeloom-plan -->'
# Comments of others may look alike: only those of this login count.
author=${KUBELOOM_COMMENT_AUTHOR:-github-actions[bot]}

ask() { # METHOD PATH [FILE with the body]
  curl --fail-with-body --silent --show-error --max-time 60 --retry 3 --request "$1" \
    --header "authorization: Bearer ${GITHUB_TOKEN:?}" --header 'accept: application/vnd.github+json' \
    --header 'x-github-api-version: 2022-11-28' --header 'content-type: application/json' \
    ${3:+--data-binary "@$3"} "${GITHUB_API_URL:?}/repos/${GITHUB_REPOSITORY:?}/$2"
}

# The comment of this action as JSON, or nothing.
comment() { # NUMBER
  local page found
  for page in $(seq 1 30); do
    found=$(ask GET "issues/$1/comments?per_page=100&page=$page")
    jq -ce --arg marker "$marker" --arg author "$author" \
      'map(select(.user.login == $author and (.body | startswith($marker)))) | first // empty' <<<"$found" && return
    [ "$(jq length <<<"$found")" = 100 ] || return 0
  done
}

put_comment() { # NUMBER FILE with the text
  local id body
  body=$(jq -n --arg marker "$marker" --rawfile text "$2" '{body: ($marker + "\n" + $text)}')
  id=$(comment "$1" | jq -r .id)
  if [ -n "$id" ]; then ask PATCH "issues/comments/$id" - <<<"$body" >/dev/null
  else ask POST "issues/$1/comments" - <<<"$body" >/dev/null; fi
}

# The number of the merged pull request that a commit of the branch came from.
merged_request() { # COMMIT
  ask GET "commits/$1/pulls" | jq -r --arg commit "$1" \
    'map(select(.merged_at != null)) | (map(select(.merge_commit_sha == $commit)) + .) | first.number // empty'
}

command=$1
shift
case $command in
comment | put-comment | merged-request) "${command/-/_}" "$@" ;;
*) echo "github.sh: there is no $command" >&2 && exit 2 ;;
esac
