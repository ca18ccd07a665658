# Renews what kubeadm renews on this control node, and restarts what reads it only when it starts. One that was interrupted is run again, and
# continues. KUBELOOM_NODE: the name of the node in Kubernetes. After api-ready.sh.
marker=/etc/kubernetes/kubeloom-renewal
step() { printf '%s\n' "$1" >"$marker"; }

container_of() {
  crictl ps -q --name="$1" --label="io.kubernetes.pod.name=$1-$KUBELOOM_NODE" --label=io.kubernetes.pod.namespace=kube-system
}

# The kubelet starts the container again as soon as it has stopped.
restart() {
  local before after
  before=$(container_of "$1")
  [ -z "$before" ] || crictl stop --timeout=30 "$before" >/dev/null
  for _ in $(seq 120); do
    after=$(container_of "$1" || true)
    if [ -n "$after" ] && [ "$after" != "$before" ]; then changed "restarted $1"; return; fi
    sleep 1
  done
  die "$1 did not start again within 2 minutes; its log: crictl logs \$(crictl ps -a -q --name=$1 | head -n 1)"
}

until_ready() {
  for _ in $(seq 120); do
    ! api_ready || return 0
    sleep 1
  done
  die "the API server of $KUBELOOM_NODE is not ready 2 minutes after $1 was restarted"
}

if [ "$(cat "$marker" 2>/dev/null || true)" != restart ]; then
  step renew
  kubeadm certs renew all >&2
  step restart
  changed "renewed its certificates"
fi
for name in etcd kube-apiserver; do
  restart "$name"
  until_ready "$name"
done
restart kube-controller-manager
restart kube-scheduler
rm -f "$marker"
