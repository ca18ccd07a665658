# Creating and removing one host. The spec is written before anything is created and the marker `ready` last: a host between is
# half-made, and is removed by the next command on it.

command_up() {
  need_machine
  need id
  locate_host
  admit
  local key=${KUBELOOM_SSH_PUBLIC_KEY:-} base
  [[ $key =~ ^(ssh|ecdsa|sk-)[A-Za-z0-9@.-]*\ [A-Za-z0-9+/=]+(\ .*)?$ && $key != *$'\n'* ]] ||
    fail 2 "KUBELOOM_SSH_PUBLIC_KEY must hold one public key, as in authorized_keys"
  base=$(base_path)
  build_base "$base"
  [ -z "${KUBELOOM_HOST_NODE:-}" ] || binds+=("$KUBELOOM_HOST_NODE:/usr/local/bin/node")
  check_binds
  lock_host
  stop_if_orphaned
  with_cluster_lock reserve_number
  use_number "$(cat "$site_dir/numbers/$host")"
  if ! host_is_ready || [ "$(cat "$host_dir/id")" != "$id" ] || [ "$(spec_text)" != "$(cat "$host_dir/spec")" ]; then
    tear_down
    make_host
  fi
}

check_binds() {
  local bind
  for bind in "${binds[@]}"; do
    [ -e "${bind%%:*}" ] || fail 2 "${bind%%:*}, to be mounted into the host, does not exist"
  done
}

# All that decides how the host is started; read again by start and by the launcher.
spec_text() {
  printf 'host=%s\nunit=%s\naddress=%s\nbase=%s\nregion=%s\nkey=%q\nkubernetes=%q\nbinds=(%s)\n' \
    "$host" "$host_unit" "$address" "$base" "$region" "$key" "${KUBELOOM_HOST_KUBERNETES:-}" "${binds[*]@Q}"
}

make_host() {
  mkdir -p "$host_dir"
  echo "$id" >"$host_dir/id"
  spec_text >"$host_dir/spec"
  fail_if_asked
  make_files
  stop_if_orphaned
  attach_network
  launch_host
  await_ssh
  printf '{"public_address":"%s","ssh_port":22,"wireguard_port":51820}\n' "$address" >"$host_dir/address.json.new"
  mv "$host_dir/address.json.new" "$host_dir/address.json"
  stop_if_orphaned
  : >"$host_dir/ready"
}

# The host's own upper layer: identity and the key that lets Ansible in. Nothing is shared between hosts.
make_files() {
  local files=$host_dir/up
  mkdir -p "$host_dir/work" "$host_dir/root" "$files/etc/ssh" "$files/root/.ssh"
  chmod 700 "$files/root" "$files/root/.ssh"
  echo "$key" >"$files/root/.ssh/authorized_keys"
  chmod 600 "$files/root/.ssh/authorized_keys"
  echo "$host" >"$files/etc/hostname"
  printf '127.0.0.1 localhost\n%s %s\n' "$address" "$host" >"$files/etc/hosts"
  tr -d - </proc/sys/kernel/random/uuid >"$files/etc/machine-id"
  rm -f "$files"/etc/ssh/ssh_host_ed25519_key*
  ssh-keygen -q -t ed25519 -N '' -C "$host" -f "$files/etc/ssh/ssh_host_ed25519_key"
  # Against attackers of the future, OpenSSH's first choice (sntrup761) costs six times the CPU of a connection, which is on this machine only.
  mkdir -p "$files/etc/ssh/sshd_config.d" "$files/etc/pam.d"
  echo 'KexAlgorithms curve25519-sha256' >"$files/etc/ssh/sshd_config.d/key-exchange.conf"
  # A greeting that no one reads is five processes for each connection.
  grep -v pam_motd "$base/etc/pam.d/sshd" >"$files/etc/pam.d/sshd"
  if [ -n "${KUBELOOM_HOST_KUBERNETES:-}" ]; then
    make_kubernetes_units "$files/etc/systemd/system"
    write_kubelet_flags "$files/etc/default"
  fi
}

# What makes the host ready for a kubelet at each boot, and its registry.
make_kubernetes_units() {
  local unit
  mkdir -p "$1/multi-user.target.wants"
  for unit in "$(kubernetes_host_files)"/units/*; do
    cp "$unit" "$1/"
    ln -s "../${unit##*/}" "$1/multi-user.target.wants/${unit##*/}"
  done
}

# Hosts share the disk of the machine: by its usual shares of it (15 % free) the kubelet would evict pods while gigabytes are free.
write_kubelet_flags() {
  local least='memory.available<100Mi,nodefs.available<1Gi,imagefs.available<1Gi,nodefs.inodesFree<2%,imagefs.inodesFree<2%'
  mkdir -p "$1"
  echo "KUBELET_EXTRA_ARGS=--eviction-hard=$least --image-gc-high-threshold=99 --image-gc-low-threshold=98" >"$1/kubelet"
}

# Fault injection for tests: a file faults/<glob of host names>; "slow SECONDS" delays, any other text is the cause it fails with.
fail_if_asked() {
  local fault word='' rest=''
  for fault in "$state_dir"/faults/*; do
    # shellcheck disable=SC2053
    [[ -f $fault && $host == ${fault##*/} ]] || continue
    read -r word rest <"$fault" || true
    if [ "${word:-}" = slow ]; then
      sleep "$rest"
    else
      remove_host
      fail 4 "did not come up: ${word:-injected fault}${rest:+ $rest}"
    fi
  done
}

command_down() {
  need_machine
  locate_host
  admit
  lock_host
  # Replaced already: this command is about a host that does not exist any more.
  [ -z "$id" ] || [ ! -e "$host_dir/id" ] || [ "$(cat "$host_dir/id")" = "$id" ] || return 0
  remove_host
  rm -f "$host_lock"
}

# Its files stay as they are, and so does its site.
command_release() {
  need_machine
  locate_host
  lock_host
  [ -e "$host_dir/id" ] || fail 5 "there is no such host"
  : >"$host_dir/released"
}

# Removes everything of the host, whatever state it is in; missing parts are not an error. The number is removed last.
remove_host() {
  tear_down
  rm -f "$site_dir/numbers/$host"
}

# The same, but it keeps its number, and with it its address.
tear_down() {
  if [ -n "$host_unit" ]; then
    kill_host
    detach_network
  fi
  rm -rf --one-file-system "$host_dir"
}
