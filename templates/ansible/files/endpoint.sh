# Sent in front of the scripts that move the API endpoint. KUBELOOM_HOST, KUBELOOM_PORT: the new one.
kubernetes=${KUBELOOM_KUBERNETES_DIR:-/etc/kubernetes}
endpoint=$KUBELOOM_HOST:$KUBELOOM_PORT
if [ -e /usr/local/lib/kubeloom-simulated/.version ]; then
  note "simulated control plane: certificate and kubeconfig follow with the next kubeone apply, kubelets need no endpoint"
  exit 0
fi
if ! command -v kubeadm >/dev/null || [ ! -d "$kubernetes" ]; then die "this node has no Kubernetes of kubeadm, so its API endpoint cannot be moved"; fi

# Host:port of the server in a kubeconfig.
server_in() { awk '$1 == "server:" { sub("^https://", "", $2); print $2; exit }' "$1"; }

# Containers keep running while both are restarted.
restart_kubelet() {
  local tries unit
  systemctl is-active --quiet containerd.service && systemctl restart containerd.service
  systemctl restart kubelet.service
  for unit in containerd kubelet; do
    systemctl cat $unit.service >/dev/null 2>&1 || continue
    for tries in $(seq 1 40); do
      systemctl is-active --quiet $unit.service && break
      [ "$tries" -lt 40 ] || die "$unit does not start: $(journalctl -u $unit -n 5 -o cat --no-pager 2>/dev/null | tr '\n' ' ')"
      sleep 5
    done
  done
}
