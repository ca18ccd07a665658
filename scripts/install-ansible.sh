#!/usr/bin/env bash
# Installs the ansible-core of runner-images/ansible/requirements.txt into ~/.kubeloom, by sums, and says so. Where PyPI cannot be reached,
# Debian's ansible-core stands in for it, which it says, too: it works, but no one supports that line any more.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
home=${KUBELOOM_HOME:-$HOME/.kubeloom}
list=$root/runner-images/ansible/requirements.txt
say() { printf 'setup: %s\n' "$*"; }

venv=$home/ansible
[ ! -e "$venv/requirements.txt" ] || ! cmp -s "$list" "$venv/requirements.txt" || exit 0
# The Python that the sums are for.
python=$(for name in /usr/bin/python3 python3.11 python3; do
  "$name" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && echo "$name" && break
done) || true
version=$(sed -n 's/^ansible-core==\([^ ]*\).*/\1/p' "$list")
stand_in() {
  say "$1: the ansible-core of this machine is used ($(ansible-playbook --version 2>/dev/null | head -1 || true))"
  exit 0
}
[ -n "$python" ] || stand_in "ansible-core $version needs Python 3.11, which is not here"
if ! "$python" -m ensurepip --version >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-venv >/dev/null 2>&1 || true
fi
mkdir -p "$home/bin"
fresh=$(mktemp -d "$home/ansible.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
say "installing ansible-core $version from PyPI into $venv"
{ "$python" -m venv "$fresh" &&
  "$fresh/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$list" &&
  "$fresh/bin/python" -c 'import ansible'; } >"$fresh/log" 2>&1 ||
  stand_in "ansible-core $version cannot be installed ($(tail -1 "$fresh/log" | cut -c1-200))"
rm -rf "$venv"
# Programs of a venv name their own directory.
"$python" -m venv "$venv"
cp -r "$fresh/lib/." "$venv/lib/"
for program in ansible-playbook ansible; do
  printf '#!%s\nimport sys\nfrom ansible.cli.%s import main\nsys.exit(main())\n' "$venv/bin/python3" \
    "$([ $program = ansible ] && echo adhoc || echo playbook)" >"$venv/bin/$program"
  chmod 755 "$venv/bin/$program"
  ln -sf "$venv/bin/$program" "$home/bin/$program"
done
cp "$list" "$venv/requirements.txt"
