#!/usr/bin/env bash
# Installs the Debian packages that making hosts needs, if any is missing; says what it does.
set -euo pipefail
packages=(systemd-container mmdebstrap iproute2 openssh-client nftables openssl)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "missing Debian packages: ${missing[*]}; install them as root with: apt-get install ${missing[*]}" >&2
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
