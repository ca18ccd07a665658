# One flock for each host, each cluster and the whole machine; always taken in that order, always with a bound.
# Children inherit the lock: after a kill -9 of the helper it is free only when the last thing it started has ended.

machine_run_dir=/run/kubeloom

# take_lock NAME SECONDS: holds it until this process ends; sets lock_fd.
take_lock() {
  local path=$1 seconds=$2
  [ -d "${path%/*}" ] || mkdir -p "${path%/*}"
  while :; do
    exec {lock_fd}>"$path"
    flock -w "$seconds" "$lock_fd" || fail 5 "another kubeloom-host has held ${path##*/} for $seconds seconds"
    # The process that removed the host removed the file as well: then our lock is on a deleted file.
    [ "$path" -ef "/proc/self/fd/$lock_fd" ] && return 0
    exec {lock_fd}>&-
  done
}

free_lock() { exec {lock_fd}>&-; }

lock_host() {
  host_lock=$state_dir/locks/$site_unit.$host
  take_lock "$host_lock" 180
  host_lock_fd=$lock_fd
}

# with_cluster_lock / with_machine_lock COMMAND…: for short work on resources that hosts share.
with_cluster_lock() {
  take_lock "$state_dir/locks/$cluster_unit" 60
  local fd=$lock_fd
  "$@"
  exec {fd}>&-
}

with_machine_lock() {
  take_lock "$machine_run_dir/lock" 60
  local fd=$lock_fd
  "$@"
  exec {fd}>&-
}
