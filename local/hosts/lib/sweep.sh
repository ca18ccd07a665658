# Finding and removing everything with a certain name: processes with their cgroups, links, namespaces. No file is needed for it.

# Everything with the site's name: hosts, the machine's link and the bridge.
sweep_site() {
  sweep_units "$site_unit"
  ip -n "$router" link del "$bridge" 2>/dev/null || true
}

# Kills and removes what has a name that begins so: processes and cgroups, then links, then namespaces.
sweep_units() {
  local prefix=$1 unit path
  close_doors "$prefix"
  for unit in $(units_with_cgroup "$prefix"); do
    kill_unit "$unit"
  done
  for path in "${router:+/run/netns/$router}" /run/netns/"$prefix"*r; do
    [ -e "$path" ] || continue
    for unit in $(ip -n "${path##*/}" -o link show type veth | awk -F'[ :@]+' -v p="$prefix" 'index($2, p) == 1 {print $2}'); do
      ip -n "${path##*/}" link del "$unit" 2>/dev/null || true
    done
  done
  for path in /sys/class/net/"$prefix"*; do
    [ ! -e "$path" ] || ip link del "${path##*/}" 2>/dev/null || true
  done
  for path in /run/netns/"$prefix"*; do
    [ ! -e "$path" ] || ip netns del "${path##*/}" 2>/dev/null || true
  done
}

units_with_cgroup() {
  local group
  if machine_runs_systemd; then
    systemctl list-units --all --plain --no-legend --type=scope "$1*.scope" | awk '{sub(/\.scope$/, "", $1); print $1}'
  fi
  for group in $(cgroups_of "$1*"); do
    [ ! -d "$group" ] || echo "${group##*/}"
  done | sort -u
}

# Sweeps, and says so if anything is left.
sweep_for_good() {
  local left
  sweep_units "$1"
  with_machine_lock release_subnets "$1"
  left=$({ units_with_cgroup "$1" && cd / && find /run/netns /sys/class/net -maxdepth 1 -name "$1*" 2>/dev/null && doors_of "$1"; } | tr '\n' ' ')
  [ -z "$left" ] || fail 4 "could not be removed: $left"
}
