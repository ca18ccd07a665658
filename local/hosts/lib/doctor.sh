# What this machine can, what it lacks, and how to mend it. Tries things out in namespaces of its own instead of believing lists.

command_doctor() {
  local checks='' ok=true tool
  check required root "$([ "$(id -u)" = 0 ] && echo yes)" "run as root, or use the provider type sim"
  for tool in systemd-nspawn:systemd-container mmdebstrap:mmdebstrap ip:iproute2 ssh-keygen:openssh-client nft:nftables flock:util-linux; do
    check required "${tool%:*}" "$(command -v "${tool%:*}")" "install the Debian package ${tool#*:} (local/hosts/install-packages.sh)"
  done
  check required overlay "$(trial_overlay)" \
    "load the kernel module overlay, and set KUBELOOM_HOSTS_DIR to a directory on an ordinary file system (ext4, xfs, tmpfs; not overlay)"
  check required tun "$([ -c /dev/net/tun ] || modprobe tun 2>/dev/null && echo /dev/net/tun)" "load the kernel module tun"
  check required bridge "$(in_trial_network 'ip link add name br0 type bridge && ip link add name ve0 type veth peer name ve1')" \
    "the kernel needs the modules bridge and veth"
  check required nftables "$(in_trial_network 'nft add table inet t && nft add table bridge t')" "the kernel needs nf_tables"
  check required cgroup "$(cgroup_mode)" "mount a cgroup file system on /sys/fs/cgroup"
  check optional netem "$(in_trial_network 'tc qdisc add dev lo root netem delay 1ms')" \
    "tests of slow links are skipped; the kernel needs the module sch_netem"
  check optional wireguard "$(in_trial_network 'ip link add name wg0 type wireguard')" "nothing to do: hosts use wireguard-go"
  check optional base-image "$(base_ready)" "made at the first use; kubeloom-host base-build makes it now"
  printf '{"ok":%s,"stateDirectory":"%s","checks":[%s\n]}\n' "$ok" "$(json_text "$state_dir")" "$checks"
  [ $ok = true ] || fail 3 "the machine lacks something; see the checks that are not ok"
}

# check required|optional NAME FOUND FIX: FOUND empty = not there.
check() {
  local fine=true
  [ -n "$3" ] || fine=false
  [ "$fine$1" != falserequired ] || ok=false
  checks+="${checks:+,}"$'\n'"  {\"name\":\"$2\",\"ok\":$fine,\"required\":$([ "$1" = required ] && echo true || echo false)"
  checks+=",\"found\":\"$(json_text "$3")\"$([ $fine = true ] || printf ',"fix":"%s"' "$(json_text "$4")")}"
}

in_trial_network() {
  if [ "$(id -u)" != 0 ]; then
    echo "not tried: needs root"
  elif unshare --net sh -c "$1" >/dev/null 2>&1; then
    echo yes
  fi
}

# Where hosts will live: an overlay cannot have its upper layer on every file system.
trial_overlay() {
  local existing=$state_dir trial
  [ "$(id -u)" = 0 ] || { echo "not tried: needs root"; return 0; }
  while [ ! -d "$existing" ]; do existing=$(dirname "$existing"); done
  trial=$(mktemp -d "$existing/.kubeloom-trial-XXXXXX")
  mkdir "$trial/low" "$trial/up" "$trial/work" "$trial/root"
  if unshare --mount --propagation private mount -t overlay trial \
    -o "lowerdir=$trial/low,upperdir=$trial/up,workdir=$trial/work" "$trial/root" 2>/dev/null; then
    echo yes
  fi
  rm -rf --one-file-system "$trial"
}

cgroup_mode() {
  local mode
  case $(stat -fc %T /sys/fs/cgroup 2>/dev/null) in
    cgroup2fs) mode=v2 ;;
    *) [ ! -d /sys/fs/cgroup/systemd ] || mode='v1 (hybrid)' ;;
  esac
  [ -z "${mode:-}" ] || echo "$mode, PID 1 is $(cat /proc/1/comm)"
}

base_ready() { [ ! -d "$(base_path)" ] || base_path; }
