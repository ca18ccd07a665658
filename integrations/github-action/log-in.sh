#!/usr/bin/env bash
# Keyless: the token that GitHub signs for this job is the login, of a role of AWS or of the API itself. Writes to GITHUB_ENV.
set -euo pipefail
# shellcheck disable=SC2016
if [ -z "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ]; then
  echo 'kubeloom: the job gets no identity: give it `permissions: { id-token: write }`; a pull request of a fork has none' >&2
  exit 8
fi
audience=${KUBELOOM_AUDIENCE:-sts.amazonaws.com}
token=$(curl --fail-with-body --silent --show-error --max-time 60 --retry 3 --get \
  --header "authorization: Bearer ${ACTIONS_ID_TOKEN_REQUEST_TOKEN:?}" --data-urlencode "audience=$audience" \
  "$ACTIONS_ID_TOKEN_REQUEST_URL" | jq -er .value)
echo "::add-mask::$token"
if [ -z "${KUBELOOM_ROLE:-}" ]; then
  # An installation with authorization=jwt takes the token as it is.
  echo "KUBELOOM_TOKEN=$token" >>"${GITHUB_ENV:?}"
  exit 0
fi
file=${RUNNER_TEMP:?}/kubeloom-identity
(umask 077 && printf %s "$token" >"$file")
{
  echo "AWS_WEB_IDENTITY_TOKEN_FILE=$file"
  echo "AWS_ROLE_ARN=$KUBELOOM_ROLE"
  echo "AWS_ROLE_SESSION_NAME=github-${GITHUB_RUN_ID:?}"
} >>"${GITHUB_ENV:?}"
