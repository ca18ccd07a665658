#!/usr/bin/env bash
# lint-modules.sh [DIR]: tflint and checkov over Terraform modules (default: templates/terraform). Exits 1 when something was
# found that is not acknowledged, or an acknowledgement is not needed any more; see docs/conformance.md.
# What is missing is fetched once: tflint by Go into ~/.cache/kubeloom/lint, checkov by pip into .kubeloom/checkov.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
modules=$(cd "${1:-$root/templates/terraform}" && pwd)
tflint_version=0.64.0
checkov_version=3.3.30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tflint=${XDG_CACHE_HOME:-$HOME/.cache}/kubeloom/lint/tflint-$tflint_version
if [ ! -x "$tflint" ]; then
  found=$(PATH="$PATH:$HOME/go/bin" command -v tflint || true)
  mkdir -p "$(dirname "$tflint")"
  if [ -n "$found" ] && [[ $("$found" --version) == "TFLint version $tflint_version"* ]]; then
    cp "$found" "$work/tflint"
  else
    command -v go >/dev/null || { echo "lint-modules: tflint $tflint_version or Go to build it is needed" >&2; exit 1; }
    echo "lint-modules: building tflint $tflint_version (some minutes)" >&2
    GOBIN=$work nice -n 19 go install "github.com/terraform-linters/tflint@v$tflint_version"
  fi
  mv "$work/tflint" "$tflint"
fi
venv=$root/.kubeloom/checkov
if [ "$(cat "$venv/version" 2>/dev/null)" != "$checkov_version" ]; then
  echo "lint-modules: installing checkov $checkov_version" >&2
  "${PYTHON:-python3}" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "checkov==$checkov_version"
  echo "$checkov_version" >"$venv/version"
fi

# --force and --soft-fail: findings are no failure of the tool. What they are, and what could not be read, is decided below.
"$tflint" --recursive --chdir "$modules" --config "$root/.tflint.hcl" --enable-rule terraform_unused_declarations \
  --format json --force >"$work/tflint.json" || true
# Without the acknowledgements, which would hide whether there still is something to acknowledge.
cp -r "$modules" "$work/bare"
find "$work/bare" -name '*.tf' -exec sed -i 's/checkov:skip=/acknowledged: /' {} +
"$venv/bin/checkov" --config-file "$root/.checkov.yaml" --directory "$work/bare" --soft-fail --output json >"$work/checkov.json"
PATH="$root/node_modules/.bin:$PATH" node "$root/scripts/module-lint/report.ts" "$modules" "$work"
