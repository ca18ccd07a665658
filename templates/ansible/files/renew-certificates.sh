# Renews what kubeadm renews on this control node, and restarts what reads it only when it starts. One that was interrupted is run again, and
# continues. After api-ready.sh. KUBELOOM_NODE: the name of the node in Kubernetes. KUBELOOM_WAIT: no = certificates of the cluster have ended, so
# nothing here gets ready before all control nodes have new ones.
marker=/etc/kubernetes/kubeloom-renewal
is_done() { grep -qx "$1" "$marker" 2>/dev/null; }
finish() { printf '%s\n' "$1" >>"$marker"; }

container_of() {
  crictl ps -q --name="$1" --label="io.kubernetes.pod.name=$1-$KUBELOOM_NODE" --label=io.kubernetes.pod.namespace=kube-system
}

# The kubelet starts the container again: at once, or up to five minutes later where that failed before.
restart() {
  local before after
  before=$(container_of "$1")
  [ -z "$before" ] || crictl stop --timeout=30 "$before" >/dev/null
  for _ in $(seq 360); do
    [ "$KUBELOOM_WAIT" != no ] || return 0
    after=$(container_of "$1" || true)
    [ -z "$after" ] || [ "$after" = "$before" ] || return 0
    sleep 1
  done
  die "$1 did not start again within 6 minutes; its log: crictl logs \$(crictl ps -a -q --name=$1 | head -n 1)"
}

until_ready() {
  [ "$KUBELOOM_WAIT" != no ] || return 0
  for _ in $(seq 360); do
    ! api_ready || return 0
    sleep 1
  done
  die "the API server of $KUBELOOM_NODE is not ready 6 minutes after $1 was restarted"
}

if ! is_done renewed; then
  : >"$marker"
  kubeadm certs renew all >&2
  finish renewed
  changed "renewed its certificates"
fi
for name in etcd kube-apiserver kube-controller-manager kube-scheduler; do
  is_done "$name" || { restart "$name"; finish "$name"; changed "restarted $name"; }
  case $name in etcd | kube-apiserver) until_ready "$name" ;; esac
done
rm -f "$marker"
