#!/usr/bin/env bash
# `npm run conformance [-- vitest arguments]`: our state machines and adapters on moto, our API under schemathesis, our
# Terraform modules under the real providers' plugins, tflint and checkov, the images of the runners.
# `-- --short`: the part that takes minutes and needs no plugin of a provider, nor a program that is built from source. What cannot be had on
# a machine is left out, which it says.
# Needs Python 3.10 or newer and PyPI once, and Go for the plugins; see docs/conformance.md.
# Ends with `conformance: N passed, N failed[, N skipped]`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --conformance
export PATH="$PWD/node_modules/.bin:${KUBELOOM_HOME:-$HOME/.kubeloom}/bin:$PATH"
kept=$PWD/.kubeloom/conformance
home=$kept/venv
wanted=test/conformance/requirements.txt
# Fails, with a sentence, where Python or PyPI cannot be had.
install_python_packages() {
  ! cmp -s "$wanted" "$home/installed.txt" || return 0
  local python=${PYTHON:-python3}
  if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'; then
    echo "conformance needs Python 3.10 or newer with its venv module (python3-venv); name one with PYTHON=…" >&2
    return 1
  fi
  if ! { "$python" -m venv --clear "$home" &&
    timeout 600 "$home/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"; }; then
    echo "conformance: the packages of $wanted cannot be installed from PyPI" >&2
    return 1
  fi
  cp "$wanted" "$home/installed.txt"
}
export KUBELOOM_CONFORMANCE_PYTHON=$home/bin/python
if [ "${1:-}" = --short ]; then
  shift
  export KUBELOOM_CONFORMANCE=short
  files=(test/conformance/{images,provider-kit})
  # A network that cannot be reached is no fault of what is tested.
  if install_python_packages; then
    files+=(test/conformance/{adapters,deployment-lint,schemathesis,state-machines})
  else
    echo "not tested on moto, by schemathesis, cfn-lint and hadolint: see above" >&2
  fi
  set -- "${files[@]}" "$@"
elif [ $# -eq 0 ]; then
  install_python_packages
  # The whole run also lints the modules, and generates the schema fixtures again from the plugins and compares them with the committed ones.
  scripts/lint-modules.sh
  node scripts/provider-schemas/generate.ts --plugins --check
else
  install_python_packages
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
vitest run --project conformance --maxWorkers=2 --reporter=default --reporter=json --outputFile.json="$report" "$@" || status=1
printf 'conformance: '
node scripts/count-tests.mjs "$report" || status=1
exit $status
