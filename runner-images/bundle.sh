#!/bin/sh
# Bundles the runner into one file: half the start-up time, and no node_modules in the images.
set -eu
out=${1:?usage: bundle.sh OUTPUT_FILE}
npx esbuild runner-images/runner/main.ts --bundle --platform=node --target=node24 --format=esm --legal-comments=none \
  --banner:js="import{createRequire}from'node:module';const require=createRequire(import.meta.url);" --outfile="$out"
