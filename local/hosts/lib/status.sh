# Every host as JSON: what exists, and whether it runs.

command_status() {
  local i c p first=yes
  printf '['
  while read -r i c p; do
    [ -n "$p" ] || continue
    installation=$i cluster=$c provider=$p
    locate_site
    for host in $(each_host); do
      locate_host
      [ -n "$first" ] || printf ','
      first=''
      printf '\n  {"installation":"%s","cluster":"%s","provider":"%s","region":"%s","host":"%s","id":"%s","state":"%s","address":"%s","unit":"%s","pid":%s,"released":%s,"held":%s}' \
        "$i" "$c" "$p" "$(sed -n 's/^region=//p' "$host_dir/spec" 2>/dev/null)" "$host" "$(cat "$host_dir/id" 2>/dev/null)" \
        "$(state_of_host)" "$address" "$host_unit" "$(pid_of_host)" "$([ -e "$host_dir/released" ] && echo true || echo false)" \
        "$([ -e "$host_dir/held" ] && echo true || echo false)"
    done
  done <<<"$(each_site)"
  printf '%s]\n' "${first:-$'\n'}" | sed 's/^yes]/]/'
}

# running; dead: it was up, and its files are there; half-made: it never came up, or is being created.
state_of_host() {
  if [ ! -e "$host_dir/ready" ]; then
    echo half-made
  elif host_is_alive; then
    echo running
  else
    echo dead
  fi
}

pid_of_host() {
  local pid
  pid=$(init_of_host)
  echo "${pid:-null}"
}
