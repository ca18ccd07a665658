# The hard end of a host: every process of its cgroup, then the cgroup. Works from the unit name alone.

kill_host() {
  local pid
  if host_is_alive; then
    # The launcher first: it would start the host again.
    read -r pid _ <"$host_dir/pid"
    kill -KILL "$pid" 2>/dev/null || true
  fi
  kill_unit "$host_unit"
  if [ -e "$host_dir/pid" ]; then
    wait_until 10 host_is_dead || fail 4 "its process ${pid:-?} does not end"
  fi
}

kill_unit() {
  local unit=$1 groups
  if machine_runs_systemd; then
    systemctl kill --signal=KILL "$unit.scope" 2>/dev/null || true
    systemctl stop "$unit.scope" 2>/dev/null || true
    systemctl reset-failed "$unit.scope" 2>/dev/null || true
  fi
  mapfile -t groups < <(cgroups_of "$unit")
  wait_until 10 cgroups_are_gone "${groups[@]}" || fail 4 "the processes in ${groups[0]} do not end"
  rmdir "/run/systemd/nspawn/propagate/$unit" "/run/systemd/nspawn/unix-export/$unit" 2>/dev/null || true
}

# One round of killing and removing; true when nothing is left.
cgroups_are_gone() {
  local group groups=() processes
  for group in "$@"; do
    [ -d "$group" ] || continue
    groups+=("$group")
    if [ -e "$group/cgroup.kill" ]; then
      echo 1 >"$group/cgroup.kill" 2>/dev/null || true
    fi
  done
  [ ${#groups[@]} != 0 ] || return 0
  mapfile -t processes < <(find "${groups[@]}" -name cgroup.procs -exec cat {} + 2>/dev/null | grep -vx 0)
  # The shell's own kill: the program is in a package that a small Debian does not have.
  [ ${#processes[@]} = 0 ] || kill -KILL "${processes[@]}" 2>/dev/null || true
  find "${groups[@]}" -depth -type d -exec rmdir {} + 2>/dev/null || true
  for group in "${groups[@]}"; do
    [ ! -d "$group" ] || return 1
  done
}
