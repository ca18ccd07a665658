# What this machine can do, what it lacks, and how to fix it. Tries features in namespaces of its own instead of reading lists.

command_doctor() {
  local checks='' ok=true tool
  check required root "run as root, or use the provider type sim" is_root
  for tool in "${host_tools[@]}"; do
    check required "$tool" "install its Debian package: local/hosts/install-packages.sh" command -v "$tool"
  done
  check required overlay \
    "load the kernel module overlay, and set KUBELOOM_HOSTS_DIR to a directory on an ordinary file system (ext4, xfs, tmpfs; not overlay)" \
    trial_overlay
  check required tun "load the kernel module tun" tun_device
  check required bridge "the kernel needs the modules bridge and veth" \
    in_trial_network 'ip link add name br0 type bridge && ip link add name ve0 type veth peer name ve1'
  check required nftables "the kernel needs nf_tables" in_trial_network 'nft add table inet t && nft add table bridge t'
  check required cgroup "mount a cgroup file system on /sys/fs/cgroup" cgroup_mode
  check optional netem "tests of slow links are skipped; the kernel needs the module sch_netem" \
    in_trial_network 'tc qdisc add dev lo root netem delay 1ms'
  check optional wireguard "nothing to do: hosts use wireguard-go" in_trial_network 'ip link add name wg0 type wireguard'
  check optional base-image "made at the first use; kubeloom-host base-build makes it now" base_ready
  printf '{"ok":%s,"stateDirectory":"%s","checks":[%s\n]}\n' "$ok" "$(json_text "$state_dir")" "$checks"
  [ $ok = true ] || fail 3 "the machine lacks something; see the checks that are not ok"
}

# check required|optional NAME FIX COMMAND…: not ok if the command fails; what was found, or its error, is its first line.
check() {
  local kind=$1 name=$2 fix=$3 fine=true found
  shift 3
  found=$("$@" 2>&1) || fine=false
  found=${found%%$'\n'*}
  [ "$fine$kind" != falserequired ] || ok=false
  checks+="${checks:+,}"$'\n'"  {\"name\":\"$name\",\"ok\":$fine,\"required\":$([ "$kind" = required ] && echo true || echo false)"
  checks+=",\"found\":\"$(json_text "$found")\"$([ $fine = true ] || printf ',"fix":"%s"' "$(json_text "$fix")")}"
}

is_root() { [ "$(id -u)" = 0 ] && echo yes; }

in_trial_network() {
  if [ "$(id -u)" != 0 ]; then
    echo "not tried: needs root"
  else
    unshare --net sh -c "$1" && echo yes
  fi
}

tun_device() { { [ -c /dev/net/tun ] || modprobe tun; } && echo /dev/net/tun; }

# Where hosts will live: an overlay cannot have its upper layer on every file system.
trial_overlay() {
  local existing=$state_dir trial status=0
  [ "$(id -u)" = 0 ] || { echo "not tried: needs root"; return 0; }
  while [ ! -d "$existing" ]; do existing=$(dirname "$existing"); done
  trial=$(mktemp -d "$existing/.kubeloom-trial-XXXXXX") || return
  mkdir "$trial/low" "$trial/up" "$trial/work" "$trial/root"
  unshare --mount --propagation private mount -t overlay trial \
    -o "lowerdir=$trial/low,upperdir=$trial/up,workdir=$trial/work" "$trial/root" || status=$?
  rm -rf --one-file-system "$trial"
  [ "$status" != 0 ] || echo yes
  return "$status"
}

cgroup_mode() {
  local mode
  case $(stat -fc %T /sys/fs/cgroup) in
    cgroup2fs) mode=v2 ;;
    *) [ -d /sys/fs/cgroup/systemd ] && mode='v1 (hybrid)' || return 1 ;;
  esac
  echo "$mode, PID 1 is $(cat /proc/1/comm)"
}

base_ready() { [ -d "$(base_path)" ] && base_path; }
