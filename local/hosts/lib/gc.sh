# Removing hosts and sites by name alone: what a tainted resource, a lost state, a kill -9 or a removed directory left behind.

# Hosts of one region; the site itself is removed with its last region.
command_site_down() {
  need region
  need_machine
  locate_site
  admit
  remove_hosts "$(each_own_host)"
  with_cluster_lock forget_region
}

forget_region() {
  rm -f "$site_dir/regions/$region"
  [ -n "$(ls -A "$site_dir/regions" 2>/dev/null)" ] || remove_site
}

command_gc() {
  [ -n "$all" ] || need installation
  need_machine
  local i c p status
  while read -r i c p; do
    [ -n "$p" ] || continue
    status=0
    (gc_site_of "$i" "$c" "$p") || status=$?
    # A refusal has printed its reason already.
    [ $status != 7 ] || { cause_said=yes && exit 7; }
    [ $status = 0 ] || fail 5 "site $i/$c/$p could not be removed; see above"
  done <<<"$(each_site)"
  # What has lost its directory; for a single site even when nothing of it is known any more.
  if [ -n "$all" ]; then
    sweep_for_good "$(all_unit)"
    find "$state_dir/sites" "$state_dir/locks" -delete 2>/dev/null || true
  elif [ -n "$provider" ]; then
    gc_site
    has_released "$site_dir" || sweep_for_good "$site_unit"
  elif [ -n "$cluster" ]; then
    has_released "$(cluster_dir)" || sweep_for_good "$(cluster_unit)"
  fi
}

gc_site_of() {
  local installation=$1 cluster=$2 provider=$3
  gc_site
}

gc_site() {
  locate_site
  [ -n "$all" ] || admit_to_site
  region='' && remove_hosts "$(each_own_host)"
  with_cluster_lock remove_site
}

# Each in a process of its own, at once; waits for processes that still work on a host.
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
  [ -n "$all" ] || ! has_released "$site_dir" || return 0
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
