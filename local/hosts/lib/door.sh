# The way of agents in clusters to the API of this machine, which listens on its loopback only: what the hosts of a site send to the
# address of that door goes over the site's own link to the port of KUBELOOM_HOST_AGENTS_PORT. Nothing else of the loopback is reached so.

# As in local/agents/agents-door.ts: an address for documentation (RFC 5737), which no network has.
door_address=192.0.2.1

# Existing sites of this state directory lead to the port of now.
command_doors() {
  need_machine
  local i c p
  while read -r i c p; do
    [ -z "$p" ] || (open_door_of "$i" "$c" "$p")
  done <<<"$(each_site)"
}

open_door_of() {
  local installation=$1 cluster=$2 provider=$3
  locate_site
  with_cluster_lock open_door
}

# Under the cluster's lock. With route_localnet alone a host could reach every server of the loopback: whatever it sends there itself is dropped first.
open_door() {
  local port=${KUBELOOM_HOST_AGENTS_PORT:-} path
  [ -n "$port" ] && [ -e "/sys/class/net/$gateway_link" ] || return 0
  [[ $port =~ ^[0-9]{1,5}$ ]] || fail 2 "KUBELOOM_HOST_AGENTS_PORT '$port' is not a port"
  nft -f - <<TABLE
table ip $site_unit { }
delete table ip $site_unit
table ip $site_unit {
  chain guard {
    type filter hook prerouting priority raw
    iifname "$gateway_link" ip daddr 127.0.0.0/8 drop
    iifname "$gateway_link" ip saddr 127.0.0.0/8 drop
  }
  chain door {
    type nat hook prerouting priority dstnat
    iifname "$gateway_link" ip daddr $door_address tcp dport 443 dnat to 127.0.0.1:$port
  }
}
TABLE
  echo 1 >"/proc/sys/net/ipv4/conf/$gateway_link/route_localnet"
  for path in /run/netns/"$site_unit"??; do
    # One that is half-made gets it when it is complete.
    [ ! -e "$path" ] || lead_to_door "${path##*/}" 2>/dev/null || true
  done
}

# The host's packets take the link of its own site: answers come back over it.
lead_to_door() {
  [ -z "${KUBELOOM_HOST_AGENTS_PORT:-}" ] || ip -n "$1" route replace "$door_address" via "$(cat "$site_dir/subnet").1" dev eth0
}

# Doors of all sites whose unit begins so; their settings of the link go with it.
close_doors() {
  local table
  for table in $(doors_of "$1"); do
    nft delete table ip "$table" 2>/dev/null || true
  done
}

doors_of() { nft list tables ip 2>/dev/null | awk -v p="$1" '$2 == "ip" && index($3, p) == 1 {print $3}'; }
