# The processes of one host: launcher → systemd-nspawn → the host's own PID 1, all in one cgroup.

machine_runs_systemd() { [ -d /run/systemd/system ]; }

# Cgroup directories of the host where systemd does not keep them for us: cgroup v2, or the hierarchies of v1 that nspawn and a
# kubelet use.
cgroups_of() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/$1"
  else
    local kind
    for kind in systemd unified pids cpu cpuacct cpuset memory devices freezer blkio; do
      [ ! -d "/sys/fs/cgroup/$kind" ] || echo "/sys/fs/cgroup/$kind/$1"
    done
  fi
}

# Field 22 of /proc/PID/stat: with it a PID means the same process for ever. Empty for one that is gone or only not yet reaped.
start_time() {
  local stat
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
  read -ra stat <<<"${stat##*) }"
  [[ ${stat[0]} == [ZX] ]] || echo "${stat[19]}"
}

host_is_alive() {
  local pid started
  read -r pid started 2>/dev/null <"$host_dir/pid" || return 1
  [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ]
}

host_is_dead() { ! host_is_alive; }
host_is_ready() { [ -e "$host_dir/ready" ] && [ -s "$host_dir/address.json" ] && host_is_alive; }

child_of() {
  local child=''
  # The file has no end of line, without which read has read it all the same.
  read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
  echo "$child"
}

# PID of the host's own PID 1: launcher → nspawn → it. Empty when it does not run.
init_of_host() {
  local pid
  read -r pid _ 2>/dev/null <"$host_dir/pid" || return 0
  pid=$(child_of "$pid") || return 0
  if [ -n "$pid" ]; then child_of "$pid" || true; fi
}

# Inotify instances are counted for the whole machine. A host takes 7 (systemd, D-Bus, wireguard-go), one with Kubernetes many more: with
# the usual 128, WireGuard or kube-proxy of the host after the 18th, or of the second cluster, ends with "too many open files".
raise_inotify_limit() {
  local limit=/proc/sys/fs/inotify/max_user_instances
  if [ "$(cat $limit)" -lt 8192 ] && ! echo 8192 2>/dev/null >$limit; then
    note "fs.inotify.max_user_instances of this machine stays at $(cat $limit): more than 18 hosts, or 5 with Kubernetes, may not work"
  fi
}

# Starts the launcher, which outlives us, and the build that we may be part of: it is a machine, not a process of a container. It holds the host's lock until it has written its PID and joined its cgroup, so the
# next process with the lock finds it, also after a kill -9 of this one.
launch_host() {
  raise_inotify_limit
  mkdir -p "$host_dir/root"
  rm -f "$host_dir/pid"
  HOST_DIR=$host_dir LOCK_FD=$host_lock_fd CGROUPS=$(cgroups_of "$host_unit") NETNS=$host_unit KUBERNETES_HOST_FILES=$(kubernetes_host_files) \
    env -u CODEBUILD_BUILD_ID setsid "$here/host-process" record </dev/null >>"$host_dir/log" 2>&1 &
  wait_until 10 test -s "$host_dir/pid" || give_up "its launcher did not start"
}

await_ssh() {
  local end=$((SECONDS + ${KUBELOOM_HOST_BOOT_SECONDS:-60}))
  until ssh_answers; do
    host_is_alive || give_up "its systemd-nspawn ended"
    [ "$SECONDS" -lt "$end" ] || give_up "no SSH on $address after ${KUBELOOM_HOST_BOOT_SECONDS:-60} s"
    sleep 0.05
  done
}

ssh_answers() {
  # shellcheck disable=SC2016 # for the inner bash
  timeout 1 bash -c 'exec 3<>"/dev/tcp/$0/22" && read -r -N 4 -u 3 banner && [ "$banner" = SSH- ]' "$address" 2>/dev/null
}

# A host that does not come up is removed at once: Terraform never calls destroy provisioners of tainted resources.
give_up() {
  local log
  log=$(tail -n 3 "$host_dir/log" 2>/dev/null | tr -c '[:print:]' ' ' || true)
  remove_host
  fail 4 "did not come up: $1${log:+ ($log)}"
}
