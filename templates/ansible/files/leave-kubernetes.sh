# Takes Kubernetes off a static node that leaves its cluster, before all else: its Node object is deleted already, and a kubelet that is restarted
# (proxy.sh) would register it again. `kubeadm reset` leaves what would be in the way of the next join:
# links and addresses of the old pod network, rules of kube-proxy, and a kubelet that starts with the machine. Images and packages stay.
# KUBELOOM_USER: who KubeOne came in as; its files are in that user's home.
empty() {
  [ -n "$(find "$1" -xdev -mindepth 1 -print -quit 2>/dev/null)" ] || return 0
  # A mount of the machine's owner below it stays, with what is in it.
  find "$1" -xdev -mindepth 1 -delete 2>/dev/null || note "$1 is not empty: something in it is mounted"
  changed "emptied $1"
}

# KubeOne gives its user on a control node an administrator's kubeconfig.
homes=(/root "$(getent passwd "$KUBELOOM_USER" | cut -d: -f6)")
if [ -e /etc/kubernetes/pki/ca.crt ]; then
  for home in "${homes[@]}"; do
    if grep -qs "$(base64 -w0 /etc/kubernetes/pki/ca.crt)" "$home/.kube/config"; then drop "$home/.kube/config"; fi
  done
fi
if command -v kubeadm >/dev/null 2>&1 && [ -e /etc/kubernetes ]; then
  if kubeadm reset -f >&2; then changed "kubeadm reset"; else note "kubeadm reset failed; its directories are removed all the same"; fi
fi
if systemctl is-enabled --quiet kubelet.service 2>/dev/null || systemctl is-active --quiet kubelet.service; then
  systemctl disable --now --quiet kubelet.service || note "the kubelet did not stop"
  changed "stopped kubelet"
fi

# Links of flannel, Cilium, Canal and kube-proxy. A bridge of LXC (lxcbr0) is not one of them.
ip -o link show | sed -E 's/^[0-9]+: ([^:@]+).*/\1/' |
  { grep -E '^(cni0|flannel[.].*|cilium_.*|lxc(_health|[0-9a-f]+)|cali.*|vxlan[.]calico|kube-ipvs0|nodelocaldns)$' || true; } |
  while read -r link; do
    ip link delete "$link" 2>/dev/null || continue
    changed "removed $link"
  done
for family in iptables ip6tables; do
  command -v "$family-save" >/dev/null 2>&1 || continue
  # A chain goes with all rules that lead to it.
  rules=$("$family-save" -c)
  others=$(grep -vE '(^:| -[Ajg] )(KUBE|CNI|FLANNEL|CILIUM|OLD_CILIUM|cali)[-_]' <<<"$rules" || true)
  [ "$others" != "$rules" ] || continue
  if "$family-restore" -c <<<"$others"; then changed "removed the cluster's rules of $family"; else note "the cluster's rules of $family stay"; fi
done
for table in "ip kube-proxy" "ip6 kube-proxy" "ip flannel-ipv4" "ip6 flannel-ipv6"; do
  # shellcheck disable=SC2086 # family and name
  nft delete table $table 2>/dev/null || true
done

drop /etc/kubernetes /etc/cni /var/lib/cni /run/flannel /sys/fs/bpf/cilium "${homes[@]/%//kubeone}"
empty /var/lib/kubelet
empty /var/lib/etcd
