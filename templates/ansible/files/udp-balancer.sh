#!/bin/bash
# Runs on load balancers: UDP roles, passed on by the kernel (haproxy passes TCP only) to the targets that answer over WireGuard.
# A line of the roles: PORT TARGET_PORT sticky|spread ADDRESS... · `once`: one look, else one every two seconds.
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
roles=/etc/kubeloom/udp-roles
state=/run/kubeloom-udp

# One answer of three is enough: a packet may be lost.
answering() {
  for address in $(cut -d ' ' -f 4- "$roles" | tr ' ' '\n' | sort -u); do
    (ping -q -c 3 -i 0.2 -W 1 "$address" >/dev/null 2>&1 && echo "$address") &
  done | sort
}

# Lines "PORT ADDRESS" of what is used; where no target of a role answers, all are: they may answer clients all the same.
used() {
  awk -v up=" $(tr '\n' ' ' <<<"$1")" '{ n = 0; for (i = 4; i <= NF; i++) if (index(up, " " $i " ")) { n++; print $1, $i }
    if (!n) for (i = 4; i <= NF; i++) print $1, $i }' "$roles" | sort
}

# A sticky client is one of 256 slots, each of which prefers targets in an order of its own: it moves only when its target goes.
table() {
  awk '
    function number(address, bytes) { split(address, bytes, "."); return (bytes[2] * 256 + bytes[3]) * 256 + bytes[4] }
    function mixed(n, slot, prime, x, round) {
      prime = 67108859; x = (n * 7919 + slot * 104729 + 13) % prime
      for (round = 0; round < 3; round++) x = (x * x + n * 31 + slot) % prime; return x
    }
    function preferred(slot, i, best, rank, top) {
      top = -1; for (i = 0; i < n; i++) if ((rank = mixed(number(target[i]), slot)) > top) { top = rank; best = target[i] }
      return best
    }
    FNR == NR { list[$1] = list[$1] " " $2; next }
    FNR == 1 { print "table ip kubeloom_udp\ndelete table ip kubeloom_udp\ntable ip kubeloom_udp {\n  chain incoming {\n    type nat hook prerouting priority dstnat; policy accept;" }
    {
      n = split(substr(list[$1], 2), target, " "); for (i = 0; i < n; i++) target[i] = target[i + 1]
      slots = $3 == "sticky" ? 256 : n; map = ""
      for (i = 0; i < slots; i++) map = map (i ? ", " : "") i " : " ($3 == "sticky" ? preferred(i) : target[i])
      printf "    iifname != \"wg0\" udp dport %s dnat to %s mod %d map { %s } : %s\n", $1, $3 == "sticky" ? "jhash ip saddr" : "numgen inc", slots, map, $2
    }
    END { print "  }\n  chain outgoing {\n    type nat hook postrouting priority srcnat; policy accept;\n    oifname \"wg0\" ct status dnat masquerade\n  }\n}" }' "$1" "$roles"
}

look() (
  up=$(answering)
  mkdir -p $state && exec 9>$state/lock && flock 9
  used "$up" >$state/new
  if ! cmp -s $state/new $state/used || ! nft list table ip kubeloom_udp >/dev/null 2>&1; then
    table $state/new | nft -f - || exit
    # The kernel sends a flow to the same target as long as it continues: flows to targets that left are ended.
    comm -13 $state/new <(cat $state/used 2>/dev/null) | while read -r port address; do
      conntrack -D -p udp --orig-port-dst "$port" --reply-src "$address" >/dev/null 2>&1 || true
    done
    mv $state/new $state/used
  fi
)

[ "${1:-}" != once ] || { look; exit; }
while :; do look; sleep 2; done
