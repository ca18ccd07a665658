# Power of a host that exists: its files, address and keys stay.

command_start() {
  hold_existing_host
  host_is_alive && return 0
  kill_unit "$host_unit"
  # After a reboot of the machine only the directories are left.
  ip netns exec "$host_unit" true 2>/dev/null || { detach_network; with_cluster_lock site_up; attach_network; }
  launch_host
  await_ssh
  : >"$host_dir/ready"
}

# Off, by an orderly shutdown.
command_stop() {
  hold_existing_host
  shut_down
}

shut_down() {
  local init
  init=$(init_of_host)
  [ -z "$init" ] || kill -s RTMIN+4 "$init"
  wait_until 30 host_is_dead || note "host $host did not end within 30 s; killing it"
  kill_host
}

# Off and kept: a host that no one knows. reconcile passes it over; down, site-down and gc do not.
command_hold() {
  locate_host
  admit
  hold_existing_host
  # Replaced already: this command is about a host that does not exist any more.
  [ -z "$id" ] || [ "$(cat "$host_dir/id" 2>/dev/null)" = "$id" ] || return 0
  shut_down
  : >"$host_dir/held"
}

# As if its power had been cut.
command_kill() {
  hold_existing_host
  kill_host
}

command_reboot() {
  hold_existing_host
  local init
  init=$(init_of_host)
  [ -n "$init" ] || fail 4 "it does not run; start it"
  kill -s RTMIN+5 "$init"
  wait_until 30 init_has_changed "$init" || fail 4 "did not reboot within 30 s"
  await_ssh
}

init_has_changed() {
  local now
  now=$(init_of_host)
  [ -n "$now" ] && [ "$now" != "$1" ]
}

hold_existing_host() {
  need_machine
  locate_host
  lock_host
  [ -s "$host_dir/spec" ] || fail 2 "no such host"
}
