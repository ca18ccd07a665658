# Removing hosts and sites by name alone: what a tainted resource, a lost state, a kill -9 or a removed directory left behind.

# Hosts of one region; the site itself goes with its last region.
command_site_down() {
  need region
  need_machine
  locate_site
  remove_hosts "$(each_host)"
  with_cluster_lock forget_region
}

forget_region() {
  rm -f "$site_dir/regions/$region"
  [ -n "$(ls -A "$site_dir/regions" 2>/dev/null)" ] || remove_site
}

command_gc() {
  [ -n "$all" ] || need installation
  need_machine
  local i c p
  while read -r i c p; do
    [ -n "$p" ] || continue
    (installation=$i cluster=$c provider=$p && gc_site) || fail 5 "site $i/$c/$p could not be removed; see above"
  done <<<"$(each_site)"
  # What has lost its directory; for a single site even when nothing of it is known any more.
  if [ -n "$all" ]; then
    sweep_for_good "$(all_unit)"
    find "$state_dir/sites" "$state_dir/locks" -delete 2>/dev/null || true
  elif [ -n "$provider" ]; then
    gc_site
    sweep_for_good "$site_unit"
  elif [ -n "$cluster" ]; then
    sweep_for_good "$(cluster_unit)"
  fi
}

# Sweeps, and says so if anything is left.
sweep_for_good() {
  local left
  sweep_units "$1"
  with_machine_lock release_subnets "$1"
  left=$({ units_with_cgroup "$1" && cd / && find /run/netns /sys/class/net -maxdepth 1 -name "$1*" 2>/dev/null; } | tr '\n' ' ')
  [ -z "$left" ] || fail 4 "could not be removed: $left"
}

gc_site() {
  locate_site
  region='' && remove_hosts "$(each_host)"
  with_cluster_lock remove_site
}

# Each in a process of its own, at once; waits for whoever still works on a host.
remove_hosts() {
  local pids=() pid failed=''
  for host in $1; do
    (
      locate_host
      lock_host
      remove_host
      rm -f "$host_lock"
    ) &
    pids+=($!)
  done
  host=''
  for pid in "${pids[@]}"; do
    wait "$pid" || failed=yes
  done
  [ -z "$failed" ] || fail 4 "not all hosts could be removed; see above"
}

# Under the cluster's lock, when the site has no hosts any more. The last site of the cluster takes the router with it.
remove_site() {
  sweep_site
  rm -rf --one-file-system "$site_dir"
  rm -f "$state_dir/locks/$site_unit".*
  with_machine_lock release_subnets "$site_unit"
  if [ -z "$(find "$(cluster_dir)" -mindepth 1 -maxdepth 1 -type d 2>/dev/null)" ]; then
    ip netns del "$router" 2>/dev/null || true
    rm -rf --one-file-system "$(cluster_dir)"
    rmdir "$state_dir/sites/$installation" 2>/dev/null || true
    rm -f "$state_dir/locks/$cluster_unit"
  fi
}

# Reservations of all sites whose unit begins so. Under the machine's lock.
release_subnets() {
  local file unit
  for file in "$machine_run_dir"/subnets/*; do
    read -r unit _ 2>/dev/null <"$file" || continue
    [[ $unit != "$1"* ]] || rm -f "$file"
  done
  rmdir "$machine_run_dir/subnets" 2>/dev/null || true
}

# Everything that bears the site's name: hosts, the machine's link and the bridge.
sweep_site() {
  sweep_units "$site_unit"
  ip -n "$router" link del "$bridge" 2>/dev/null || true
}

# Kills and removes what has a name that begins so: processes and cgroups, then links, then namespaces.
sweep_units() {
  local prefix=$1 unit path
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
    [ ! -d "$group" ] || basename "$group"
  done | sort -u
}
