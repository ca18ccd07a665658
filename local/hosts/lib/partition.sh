# Cutting hosts off from each other, for tests: packet filter rules in the cluster's router, so nothing of the machine is touched.

command_partition() {
  need installation cluster host from
  need_machine
  local a b
  find_address "$host" && a=$address
  find_address "$from" && b=$address
  with_cluster_partitions add_partition "$a $b"
}

command_heal() {
  need installation cluster
  need_machine
  address=''
  [ -z "$host" ] || find_address "$host"
  with_cluster_partitions drop_partitions "$address"
}

with_cluster_partitions() {
  cluster_unit=$(cluster_unit)
  router=${cluster_unit}r
  partitions=$(cluster_dir)/.partitions
  ip netns exec "$router" true 2>/dev/null || fail 2 "no such cluster"
  with_cluster_lock "$@"
}

add_partition() {
  echo "$1" >>"$partitions"
  render_partitions
}

drop_partitions() {
  local kept=''
  [ -z "$1" ] || kept=$(grep -vwF "$1" "$partitions" 2>/dev/null || true)
  printf '%s' "${kept:+$kept$'\n'}" >"$partitions"
  render_partitions
}

# Hosts of one site meet on a bridge, those of different sites in the IP layer: both tables have the same rules.
render_partitions() {
  local family a b
  for family in bridge inet; do
    echo "table $family kubeloom { }"
    echo "delete table $family kubeloom"
    [ -s "$partitions" ] || continue
    printf 'table %s kubeloom {\n chain forward {\n type filter hook forward priority 0\n' "$family"
    while read -r a b; do
      printf 'ip saddr %s ip daddr %s drop\nip saddr %s ip daddr %s drop\n' "$a" "$b" "$b" "$a"
    done <"$partitions"
    printf '}\n}\n'
  done | ip netns exec "$router" nft -f -
  [ -s "$partitions" ] || rm -f "$partitions"
}

# Sets address.
find_address() {
  local path
  for path in "$(cluster_dir)"/*/numbers/"$1"; do
    [ -f "$path" ] || fail 2 "no host $1 in the cluster"
    address=$(cat "${path%/numbers/*}/subnet").$(cat "$path")
    return 0
  done
}
