#!/usr/bin/env bash
# `npm run conformance [-- vitest arguments]`: our state machines and adapters on moto, our API under schemathesis.
# The Vault client on a real Vault, built once with Go. Needs Python 3.10 or newer and PyPI once; see docs/conformance.md.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
export PATH="$PWD/node_modules/.bin:$PATH"
home=$PWD/.kubeloom/conformance/venv
wanted=test/conformance/requirements.txt
if ! cmp -s "$wanted" "$home/installed.txt"; then
  python=${PYTHON:-python3}
  if ! "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))'; then
    echo "conformance needs Python 3.10 or newer with its venv module; name one with PYTHON=…" >&2
    exit 1
  fi
  "$python" -m venv --clear "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
  cp "$wanted" "$home/installed.txt"
fi
# Of a run of other tests, no Vault is asked for.
if [[ $* == *vault* || $# == 0 ]] && [[ ! -x ${KUBELOOM_VAULT:-${KUBELOOM_HOME:-$HOME/.kubeloom}/bin/vault} ]]; then
  scripts/build-vault.sh
fi
export KUBELOOM_CONFORMANCE_PYTHON=$home/bin/python
exec vitest run --project conformance "$@"
