#!/usr/bin/env bash
# What is tried on the fresh machine, in its clone. Network is there for the set-up alone: what follows must do without.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
passed=0
failed=0
step() {
  local name=$1 began=$SECONDS
  shift
  echo "== fresh machine: $name"
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL fresh machine: $name"
  fi
  echo "== fresh machine: $name took $((SECONDS - began)) s"
}

offline() { unshare --net bash -c 'ip link set lo up && exec "$@"' offline "$@"; }

# The set-up downloads these. Only where that is not possible, which it says, the machine's own program is put in.
lend_programs() {
  local program lent
  for program in tofu kubectl; do
    node scripts/fetch-program.mjs "$program" --lacks || continue
    lent=$(echo /opt/of-this-machine/"$program"/*)
    install -D -t "$HOME/.kubeloom/bin" "$lent" || return
    echo "$program cannot be downloaded from here: ${lent##*/} of the machine that runs this was put in"
  done
}

doctor_finds_everything() {
  npx kubeloom doctor || return
  # shellcheck disable=SC2016 # JavaScript
  npx kubeloom doctor --json | KERNEL_LACKS=$KERNEL_LACKS node -e '
    const lacks = new Set(process.env.KERNEL_LACKS.split(" "));
    const checks = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const missing = checks.filter((check) => !check.ok && !check.optional && !lacks.has(check.name));
    for (const { name, found } of missing) console.log(`not found: ${name} (${found})`);
    process.exitCode = missing.length > 0 || checks.length < 10 ? 1 : 0;'
}

demo() {
  local log=/tmp/demo.log
  offline npm run demo 2>&1 | tee "$log" || return
  if grep -q '^All of it was real' "$log"; then
    echo "the demo made real hosts"
  else
    echo "the demo was simulated: the kernel here lacks what hosts need ($KERNEL_LACKS)"
    [ -n "$KERNEL_LACKS" ]
  fi
}

step "another script of package.json, before any set-up" bash -c 'npm run --silent cost >/dev/null'
step "set-up" scripts/setup.sh --hosts
step "programs to download" lend_programs
step "base image of hosts" local/hosts/kubeloom-host base-build
step "doctor finds everything" doctor_finds_everything
step "npm run demo" demo
tests=${FRESH_MACHINE_TESTS:---project unit test/architecture test/ansible test/setup test/manifest}
[ "$tests" != all ] || tests=
# shellcheck disable=SC2086
step "npm test${tests:+ -- $tests}" offline npm test ${tests:+-- $tests}
echo "fresh machine: $passed passed, $failed failed"
[ "$failed" = 0 ]
