#!/bin/sh
# Bundles the runner and the agent into a file each, for the images: no node_modules in them, and half the start-up time. Needs Node 24.
set -eu
out=${1:?usage: bundle.sh RUNNER_FILE AGENT_FILE}
agent=${2:?usage: bundle.sh RUNNER_FILE AGENT_FILE}
node --input-type=module -e 'const b = await import(process.argv[1]); await b.buildRunner(process.argv[2]); await b.buildAgent(process.argv[3]);' \
  "$(cd "$(dirname "$0")" && pwd)/bundle-runner.ts" "$out" "$agent"
