#!/usr/bin/env bash
# `npm run conformance [-- vitest arguments]`: our state machines and adapters on moto, our API under schemathesis, our
# Terraform modules under the real providers' plugins, tflint and checkov.
# Needs Python 3.10 or newer and PyPI once, and Go for the plugins; see docs/conformance.md.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
export PATH="$PWD/node_modules/.bin:$PATH"
kept=$PWD/.kubeloom/conformance
home=$kept/venv
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
# The whole run also lints the modules, and generates the schema fixtures again from the plugins and compares them with the committed ones.
if [ $# -eq 0 ]; then
  scripts/lint-modules.sh
  node scripts/provider-schemas/generate.ts --plugins --check
fi
export KUBELOOM_CONFORMANCE_PYTHON=$home/bin/python
exec vitest run --project conformance "$@"
