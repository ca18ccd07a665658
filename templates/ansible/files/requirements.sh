# What every node needs before WireGuard, Kubernetes or a load balancer: packages, limits, kernel settings.
# KUBELOOM_MESH: 0 without WireGuard · KUBELOOM_BALANCER: 1 on load balancers · KUBELOOM_KUBERNETES: 0 on those, and on machines of groups · KUBELOOM_FIREWALLED: 0 where the cloud has a firewall · KUBELOOM_DATA_DEVICE: see data-disk.sh.
# On fresh machines it holds the dpkg lock for minutes, later it restarts services at night. detach.sh gives it back.
upgrades=$(systemctl is-enabled unattended-upgrades.service 2>/dev/null || true)
if has_unit unattended-upgrades.service && [ "$upgrades" != masked ]; then
  put /etc/kubeloom/unattended-upgrades 644 <<<"$upgrades"
  systemctl disable --now --quiet unattended-upgrades.service 2>/dev/null || true
  systemctl mask --quiet unattended-upgrades.service
  changed "unattended-upgrades is masked"
fi

wanted=(wireguard-tools iproute2 iputils-ping)
[ "$KUBELOOM_MESH" = 1 ] || wanted=(iproute2 iputils-ping)
# In a mesh without a module in the kernel, wg-quick falls back to the program wireguard-go.
[ "$KUBELOOM_MESH" = 0 ] || modinfo wireguard >/dev/null 2>&1 || [ -d /sys/module/wireguard ] || wanted+=(wireguard-go)
if [ "$KUBELOOM_KUBERNETES" = 1 ]; then
  if container; then
    note "open-iscsi and nfs-common are left out: a container cannot attach storage volumes"
  else
    wanted+=(open-iscsi nfs-common)
  fi
fi
[ "$KUBELOOM_BALANCER" = 0 ] || wanted+=(haproxy)
[ "$KUBELOOM_FIREWALLED" = 0 ] || wanted+=(nftables)
[ -z "$KUBELOOM_DATA_DEVICE" ] || wanted+=(xfsprogs)
packages "${wanted[@]}" # those of later scripts too: apt is started once

# Longhorn's volumes must not be taken by multipathd.
if [ -e /lib/systemd/system/multipathd.service ]; then
  put /etc/multipath/conf.d/kubeloom.conf 644 <<<$'blacklist {\n  devnode "^(sd|vd|nvme)[a-z0-9]+"\n}'
  [ $rewritten = 0 ] || systemctl try-restart multipathd.service || note "multipathd did not restart"
fi

# A limit that this machine cannot grant would lock everybody out (pam_limits refuses the login).
files=65535
if ! (ulimit -Hn $files) 2>/dev/null; then
  files=$(ulimit -Hn)
  note "the limit of open files stays at $files: this machine cannot raise it"
fi
put /etc/security/limits.d/90-kubeloom.conf 644 <<<"$(for who in '*' root; do printf '%s - nofile %s\n' "$who" "$files"; done)"
# Services of systemd do not read limits.d. Their hard limit is usually higher, and stays.
hard=$(systemctl show --property=DefaultLimitNOFILE --value)
[ "$hard" = infinity ] || [ "$hard" -ge "$files" ] || files=$hard
put /etc/systemd/system.conf.d/90-kubeloom.conf 644 <<<"[Manager]"$'\n'"DefaultLimitNOFILE=$files:$hard"
[ $rewritten = 0 ] || systemctl daemon-reload

# Sorts after k8s.conf of KubeOne, whose values are lower.
# Reserved: no outgoing connection may take the port that etcd, the API server or the kubelet will listen on after a restart; a
# load balancer reserves its roles (haproxy.sh).
settings /etc/sysctl.d/zz-kubeloom.conf < <(cat <<END
fs.file-max = 2097152
fs.inotify.max_queued_events = 65535
fs.inotify.max_user_watches = 2097152
fs.inotify.max_user_instances = 65535
net.core.somaxconn = 65535
net.ipv4.ip_local_port_range = 2048 65535
net.ipv4.tcp_fin_timeout = 30
END
  [ "$KUBELOOM_KUBERNETES" = 0 ] || echo "net.ipv4.ip_local_reserved_ports = 2379-2380,6443,10250-10259,$KUBELOOM_PORT"
)
