# Where things are and what they are called. Every name on the machine (netns, link, cgroup) begins with hashes of the state
# directory, the cluster and the provider instance, so that leftovers are found and removed by name alone.
# kl + 3 (state directory) + 4 (cluster) + 3 (provider instance) + 2 (number of the host, hex) = 14 of the 15 letters of a link.

hash_of() {
  local digits=0123456789abcdefghijklmnopqrstuvwxyz length=$1 word='' sum value
  shift
  sum=$(printf '%s' "$*" | sha256sum)
  value=$((16#${sum:0:15}))
  while [ ${#word} -lt "$length" ]; do
    word+=${digits:value % 36:1}
    value=$((value / 36))
  done
  echo "$word"
}

all_unit() { echo "kl$(hash_of 3 "$state_dir")"; }
cluster_unit() { echo "$(all_unit)$(hash_of 4 "$installation/$cluster")"; }

cluster_dir() { echo "$state_dir/sites/$installation/$cluster"; }

# Sets what belongs to the site named by the options.
locate_site() {
  need installation cluster provider
  # Hashes are processes: a site with many hosts is located once.
  [ "${located_site:-}" != "$installation/$cluster/$provider" ] || return 0
  located_site=$installation/$cluster/$provider
  cluster_unit=$(cluster_unit)
  site_unit=$cluster_unit$(hash_of 3 "$provider")
  site_dir=$(cluster_dir)/$provider
  router=${cluster_unit}r
  bridge=${site_unit}b
  gateway_link=${site_unit}m
}

# Sets what belongs to the host named by the options.
locate_host() {
  locate_site
  need host
  [[ $host =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$ && ${#host} -le 63 ]] || fail 2 "'$host' is not a host name (lower-case letters, digits, '-')"
  host_dir=$site_dir/hosts/$host
  host_unit='' address=''
  local number
  read -r number 2>/dev/null <"$site_dir/numbers/$host" || return 0
  use_number "$number"
}

# What follows from the number that the host has in its site: address, unit name, MAC.
use_number() {
  local subnet
  printf -v host_unit '%s%02x' "$site_unit" "$1"
  read -r subnet 2>/dev/null <"$site_dir/subnet" || subnet=0.0.0
  address=$subnet.$1
}

# Named sites of the state directory, one "installation cluster provider" a line, that fit the options given.
each_site() {
  local dir
  for dir in "$state_dir"/sites/*/*/*/; do
    [ -d "$dir" ] || continue
    dir=${dir%/}
    local p=${dir##*/} rest=${dir%/*}
    local c=${rest##*/} i=${rest%/*}
    i=${i##*/}
    [ -z "$installation" ] || [ "$installation" = "$i" ] || continue
    [ -z "$cluster" ] || [ "$cluster" = "$c" ] || continue
    [ -z "$provider" ] || [ "$provider" = "$p" ] || continue
    echo "$i $c $p"
  done
}

# Names of the hosts of the site; with a region, of that region only. A number without a directory is a trace of one, too.
each_host() {
  local path
  for path in "$site_dir"/numbers/*; do
    [ -f "$path" ] || continue
    [ -z "$region" ] || grep -qx "region=$region" "$site_dir/hosts/${path##*/}/spec" 2>/dev/null || continue
    echo "${path##*/}"
  done
}

# Those of them that may be removed: released hosts only with --all.
each_own_host() {
  local name
  for name in $(each_host); do
    [ -z "$all" ] && [ -e "$site_dir/hosts/$name/released" ] || echo "$name"
  done
}

# True when a released host uses the site that the options name, or any site of the cluster.
has_released() { compgen -G "$1/hosts/*/released" >/dev/null || compgen -G "$1/*/hosts/*/released" >/dev/null; }
