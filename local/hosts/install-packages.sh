#!/usr/bin/env bash
# install-packages.sh [USE]: installs the Debian packages that requirements.json lists for USE (hosts, the default, tests or checks),
# if a program of theirs is missing; says what it does. Exits 3 if something is missing and cannot be installed.
set -euo pipefail
use=${1:-hosts}
list=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/requirements.json
# Some programs are in directories of root's PATH only.
export PATH=$PATH:/usr/sbin:/sbin
rows=$(node -e '
  const { programs } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  for (const row of programs) if (row.for.includes(process.argv[2])) console.log(row.program, row.package);
' "$list" "$use")

missing=()
while read -r program package; do
  command -v "$program" >/dev/null || [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
done <<<"$rows"
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "missing Debian packages: ${missing[*]}; install them as root: apt-get install ${missing[*]}" >&2
  exit 3
fi
command -v apt-get >/dev/null || {
  echo "missing: ${missing[*]}; this machine has no apt-get, install the equivalents of your distribution" >&2
  exit 3
}
echo "installing Debian packages: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 || {
  apt-get -o Acquire::Retries=2 update >/dev/null
  apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" >/dev/null
}
