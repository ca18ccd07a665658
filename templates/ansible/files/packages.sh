# Packages of Debian and Ubuntu, after common.sh.

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# apt ARGUMENTS: without descriptions in any language, 40 % of the lists. Waits for another apt: apt itself does that for the lock of dpkg alone, not for those of its lists and downloads.
apt() {
  local words last=$((SECONDS + 300)) waiting=0
  words=$(mktemp)
  until apt-get -q -y -o Acquire::Retries=3 -o Acquire::Languages=none -o DPkg::Lock::Timeout=300 "$@" 2>&1 | tee "$words" >&2; do
    if ! grep -q 'Could not get lock' "$words" || [ $SECONDS -ge $last ]; then rm "$words"; return 1; fi
    [ $waiting = 1 ] || note "another program holds a lock of apt: waiting for it"
    waiting=1
    sleep 1
  done
  rm "$words"
}
# packages NAME...: asks apt only when one is missing. Lists are read once an hour, and when they are too old.
packages() {
  local name missing=() lists=${KUBELOOM_APT_STAMP:-/run/kubeloom-apt}
  for name in "$@"; do installed "$name" || missing+=("$name"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  set -- install --no-install-recommends "${missing[@]}"
  { [ -n "$(find "$lists" -mmin -60 2>/dev/null)" ] && apt "$@"; } || { apt update && touch "$lists" && apt "$@"; } ||
    die "cannot install ${missing[*]}: see apt's words above; is the node able to reach its package mirror?"
  changed "installed ${missing[*]}"
}
