# The network of one host: its own namespace with eth0, the other end of which is on the site's bridge in the router.

attach_network() {
  ip netns add "$host_unit"
  ip -n "$router" link add "$host_unit" type veth peer name eth0 address "$(mac_of "$address")" netns "$host_unit" ||
    fail 5 "its site has no router; run kubeloom-host site-up"
  ip -n "$router" link set "$host_unit" master "$bridge" up
  ip -n "$host_unit" addr add "$address/24" dev eth0
  ip -n "$host_unit" link set eth0 up
  ip -n "$host_unit" link set lo up
  ip -n "$host_unit" route add default via "${address%.*}.254"
  lead_to_door "$host_unit"
  # An entry that says "unreachable" from the time before would cost seconds.
  ip neigh del "$address" dev "$gateway_link" 2>/dev/null || true
}

# The link is removed by name before the namespace: a process that still holds the namespace would keep the pair alive.
detach_network() {
  ip -n "$router" link del "$host_unit" 2>/dev/null || true
  ip netns del "$host_unit" 2>/dev/null || true
}
