# The base image: one Debian tree, made once by mmdebstrap, that every host has as its read-only lower layer.

base_suite=${KUBELOOM_BASE_SUITE:-bookworm}
# Raise the number when prepare_base changes, so that old trees are not taken for new ones.
base_recipe=1
# KUBELOOM_HOST_KUBERNETES: directory with the parts of real Kubernetes (local/kubernetes); its packages need these.
kubernetes_host_files() { realpath "$here/../kubernetes/host"; }
kubernetes_packages=runc,iptables,conntrack,socat,ethtool,gnupg,apparmor-utils,lsb-release,rsync,apt-transport-https,mount
base_packages=${KUBELOOM_HOST_KUBERNETES:+$kubernetes_packages,}openssh-server,python3,iproute2,wireguard-tools,wireguard-go,nftables,conntrack,haproxy,prometheus-node-exporter,iputils-ping,procps,curl,ca-certificates,sudo,systemd-sysv,dbus,kmod,xfsprogs

base_path() {
  local sum
  sum=$(echo "$base_suite $base_recipe $base_packages" | sha256sum)
  echo "$cache_dir/base-${sum:0:12}"
}

command_base_build() {
  need_machine
  local base
  base=$(base_path)
  build_base "$base"
  echo "$base"
}

build_base() {
  local base=$1 building="$1.building" lock
  [ -d "$base" ] && return 0
  mkdir -p "$cache_dir"
  exec {lock}>"$cache_dir/base.lock"
  flock -w 900 "$lock" || fail 5 "another process has been building the base image for 15 minutes"
  if [ ! -d "$base" ]; then
    note "building the base image $base once (about a minute)"
    rm -rf --one-file-system "$building"
    if ! mmdebstrap --quiet --variant=minbase --include="$base_packages" "$base_suite" "$building" \
      ${KUBELOOM_BASE_MIRROR:+"$KUBELOOM_BASE_MIRROR"} >"$cache_dir/base.log" 2>&1 {lock}>&-; then
      local cause
      cause=$(grep -E '^(E|W):|rror' "$cache_dir/base.log" | tail -n 1 || tail -n 1 "$cache_dir/base.log")
      rm -rf --one-file-system "$building"
      fail 6 "base image not built: ${cause:-mmdebstrap failed} (log: $cache_dir/base.log)"
    fi
    prepare_base "$building"
    mv -T "$building" "$base"
  fi
  exec {lock}>&-
}

# What all hosts share: no identity of its own, and nothing started that a host does not need.
prepare_base() {
  local root=$1 unit
  rm -rf "$root"/etc/ssh/ssh_host_*_key* "$root"/etc/hostname "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin
  : >"$root/etc/machine-id"
  echo 'nameserver 127.0.0.1' >"$root/etc/resolv.conf"
  printf 'UseDNS no\nPasswordAuthentication no\nMaxStartups 100\nMaxSessions 100\n' >"$root/etc/ssh/sshd_config.d/kubeloom.conf"
  mkdir -p "$root/root/.ssh" && chmod 700 "$root/root/.ssh"
  for unit in console-getty.service getty.target apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
    e2scrub_all.timer fstrim.timer systemd-logind.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
  rm -f "$root"/etc/systemd/system/multi-user.target.wants/{haproxy,prometheus-node-exporter}.service
}
