# Terraform's state against what is really there. Remote state lags behind and terraform_data is never refreshed, so the runner
# checks before each apply: hosts that only the state has must be replaced, hosts that only the machine has are removed.

command_reconcile() {
  need_machine
  locate_site
  admit
  local replace='' removed=''
  read_wanted
  if [ -d "$site_dir" ] || [ ${#wanted[@]} != 0 ]; then with_cluster_lock site_up; fi
  for host in $(each_own_host); do
    [ -n "${wanted[$host]:-}" ] || [ -e "$site_dir/hosts/$host/held" ] || removed+="$host "
  done
  collect_lost
  remove_hosts "$removed"
  sweep_nameless
  printf '{"replace":%s,"removed":%s}\n' "$(json_list "$replace")" "$(json_list "$removed")"
}

# The same question for a check: nothing is brought up and nothing is removed.
command_inspect() {
  need_machine
  locate_site
  admit
  local replace=''
  read_wanted
  collect_lost
  printf '{"replace":%s,"removed":[]}\n' "$(json_list "$replace")"
}

# Hosts of Terraform's state and their ids, from stdin.
declare -gA wanted=()
read_wanted() {
  local text name id
  text=$(tr -d ' \t\r\n')
  [[ $text =~ ^\{(\"[a-z0-9-]+\":\"[A-Za-z0-9-]+\",?)*\}$ ]] || fail 2 'stdin must be a JSON object {"<host>":"<id>", …}'
  while IFS=: read -r name id; do
    [ -z "$name" ] || wanted[$name]=$id
  done <<<"$(tr -d '{}"' <<<"$text" | tr ',' '\n')"
}

collect_lost() {
  for host in "${!wanted[@]}"; do
    id=${wanted[$host]}
    host_is_as_wanted || replace+="$host "
  done
  host=''
}

# Waits for processes that work on the host: an interrupted apply may have left its provisioner running.
host_is_as_wanted() {
  locate_host
  lock_host
  free_lock
  [ "$(cat "$host_dir/id" 2>/dev/null)" = "$id" ] && host_is_ready
}

# Namespaces and cgroups of the site whose number belongs to no host.
sweep_nameless() {
  local unit number
  for unit in $({ units_with_cgroup "$site_unit"; find /run/netns -name "$site_unit*" -printf '%f\n' 2>/dev/null; } | sort -u); do
    number=$((16#${unit#"$site_unit"}))
    grep -qxs "$number" "$site_dir"/numbers/* || sweep_units "$unit"
  done
}

json_list() {
  local word list=''
  for word in $(tr ' ' '\n' <<<"$1" | sort); do
    list+="${list:+,}\"$word\""
  done
  echo "[$list]"
}
