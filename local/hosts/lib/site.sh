# A site: a bridge with a /24 for one provider instance of one cluster. The bridges of a cluster are in a network namespace
# of their own, its router: hosts of different sites reach each other there, so the machine's own forwarding, firewall and
# bridge filters are neither needed nor touched. The machine has one link (address .1) into each site; .254 is the router.

command_site_up() {
  need_machine
  locate_site
  admit
  with_cluster_lock site_up
}

site_up() {
  install -d -m 700 "$state_dir"
  # A site without directory has no hosts: whatever has its name is left over.
  [ -d "$site_dir" ] || sweep_site
  mkdir -p "$site_dir/regions" "$site_dir/numbers" "$site_dir/hosts"
  claim_site
  [ -z "$region" ] || : >"$site_dir/regions/$region"
  with_machine_lock reserve_subnet
  local subnet
  subnet=$(cat "$site_dir/subnet")
  if ! ip netns exec "$router" true 2>/dev/null; then
    ip netns del "$router" 2>/dev/null || true
    ip netns add "$router"
    ip -n "$router" link set lo up
    ip netns exec "$router" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
  fi
  if ! ip -n "$router" link show "$bridge" >/dev/null 2>&1; then
    ip -n "$router" link add "$bridge" address "$(mac_of "$subnet.254")" type bridge
  fi
  ip -n "$router" addr replace "$subnet.254/24" dev "$bridge"
  ip -n "$router" link set "$bridge" up
  if ! ip link show "$gateway_link" >/dev/null 2>&1; then
    ip link add "$gateway_link" address "$(mac_of "$subnet.1")" type veth peer name "$gateway_link" netns "$router"
    ip -n "$router" link set "$gateway_link" master "$bridge" up
  fi
  ip addr replace "$subnet.1/24" dev "$gateway_link"
  ip link set "$gateway_link" up
  open_door
}

# A MAC that follows from the address: a recreated host has the MAC of its predecessor, which the ARP tables of others still have.
mac_of() {
  local bytes
  IFS=. read -ra bytes <<<"$1"
  printf '02:6c:%02x:%02x:%02x:%02x' "${bytes[@]}"
}

# Gives the site a /24 out of 198.18.0.0/15 that no other site and no link of this machine has. Under the machine's lock.
reserve_subnet() {
  local registry=$machine_run_dir/subnets start offset candidate used
  mkdir -p "$registry"
  candidate=$(cat "$site_dir/subnet" 2>/dev/null || true)
  if [ -n "$candidate" ] && subnet_is_ours_or_free "$candidate"; then
    echo "$site_unit $site_dir" >"$registry/$candidate"
    return 0
  fi
  used=" $({ ip -4 -o addr && ip -4 route; } | tr '\n' ' ') "
  start=$((16#$(printf '%s' "$site_unit" | sha256sum | cut -c1-8) % 512))
  for ((offset = 0; offset < 512; offset++)); do
    local index=$(((start + offset) % 512))
    candidate=198.$((18 + index / 256)).$((index % 256))
    if [[ $used == *" $candidate."* ]] || ! subnet_is_ours_or_free "$candidate"; then continue; fi
    echo "$site_unit $site_dir" >"$registry/$candidate"
    echo "$candidate" >"$site_dir/subnet.new" && mv "$site_dir/subnet.new" "$site_dir/subnet"
    return 0
  done
  fail 5 "all 512 networks of 198.18.0.0/15 are taken; remove sites with kubeloom-host gc"
}

# A reservation whose site has neither directory nor link is left over from a crash.
subnet_is_ours_or_free() {
  local unit dir
  read -r unit dir 2>/dev/null <"$registry/$1" || return 0
  [ "$unit" = "$site_unit" ] || { [ ! -d "$dir" ] && [ ! -e "/sys/class/net/${unit}m" ]; }
}

# Numbers 10 … 249 of the /24: the one the host had before, else the first free one from where its name points. Under the cluster's lock.
reserve_number() {
  local start offset number taken
  [ -f "$site_dir/subnet" ] || fail 5 "its site does not exist; run kubeloom-host site-up first"
  [ ! -s "$site_dir/numbers/$host" ] || return 0
  taken=" $({ cat "$site_dir"/numbers/* 2>/dev/null || true; } | tr '\n' ' ') "
  start=$((16#$(printf '%s' "$host" | sha256sum | cut -c1-8) % 240))
  for ((offset = 0; offset < 240; offset++)); do
    number=$((10 + (start + offset) % 240))
    [[ $taken == *" $number "* ]] && continue
    echo "$number" >"$site_dir/numbers/$host"
    return 0
  done
  fail 5 "the site is full: 240 hosts"
}
