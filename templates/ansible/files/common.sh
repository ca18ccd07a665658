# Sent in front of every script: the words of the script protocol, and one way to write a file only when it differs.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH="$PATH:/usr/sbin:/sbin"
changed() { printf 'changed: %s\n' "$*"; }
note() { printf 'note: %s\n' "$*"; }
fact() { printf 'fact: %s=%s\n' "$1" "$2"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# put FILE MODE < content: writes it when it differs; $rewritten says whether it did. MODE also decides who may read it.
put() {
  local file=$1 mode=$2 fresh
  mkdir -p "$(dirname "$file")"
  fresh=$(mktemp "$file.XXXXXX")
  cat >"$fresh"
  chmod "$mode" "$fresh"
  if cmp -s "$fresh" "$file"; then rm -f "$fresh"; rewritten=0; return 0; fi
  mv -f "$fresh" "$file"
  rewritten=1
  changed "wrote $file"
}

# drop FILE...: removes what is there.
drop() {
  local file
  for file in "$@"; do
    if [ -e "$file" ] || [ -L "$file" ]; then rm -rf --one-file-system "$file"; changed "removed $file"; fi
  done
}

has_unit() { systemctl cat "$1" >/dev/null 2>&1; }
container() { systemd-detect-virt --quiet --container; }

# settings FILE < lines `key = value`: kernel settings, now and at each start. What this machine refuses is not in FILE: one such line, and
# the `sysctl --system` of KubeOne fails.
settings() {
  local file=$1 key value before kept=() refused=()
  while IFS=' =' read -r key value; do
    before=$(sysctl -n "$key" 2>/dev/null || true)
    # Written even where nothing differs: whether it can be.
    if ! sysctl -qw "$key=$value" 2>/dev/null; then refused+=("$key"); continue; fi
    kept+=("$key = $value")
    [ "$(sysctl -n "$key")" = "$before" ] || changed "set $key"
  done
  if [ ${#kept[@]} -gt 0 ]; then put "$file" 644 < <(printf '%s\n' "${kept[@]}"); else drop "$file"; fi
  [ ${#refused[@]} -eq 0 ] || note "this machine refuses ${refused[*]}: not in $file"
}
