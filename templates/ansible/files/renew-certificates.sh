# Renews what kubeadm renews on this control node, and restarts what reads it only when it starts. One that was interrupted is run again, and
# continues. After api-ready.sh. KUBELOOM_NODE: the name of the node in Kubernetes. KUBELOOM_WAIT: no = certificates of the cluster have ended, so
# nothing here gets ready before all control nodes have new ones.
marker=/etc/kubernetes/kubeloom-renewal
is_done() { grep -qx "$1" "$marker" 2>/dev/null; }
finish() { printf '%s\n' "$1" >>"$marker"; }

container_of() {
  crictl ps -q --name="$1" --label="io.kubernetes.pod.name=$1-$KUBELOOM_NODE" --label=io.kubernetes.pod.namespace=kube-system
}

# Stops these in this order. The kubelet starts each again: at once, or up to five minutes later where that failed before.
restart() {
  local name after
  local -A before=()
  for name; do
    before[$name]=$(container_of "$name")
    [ -z "${before[$name]}" ] || crictl stop --timeout=30 "${before[$name]}" >/dev/null
  done
  [ "$KUBELOOM_WAIT" != no ] || return 0
  for name; do
    for _ in $(seq 360); do
      after=$(container_of "$name" || true)
      [ -z "$after" ] || [ "$after" = "${before[$name]}" ] || continue 2
      sleep 1
    done
    die "$name did not start again within 6 minutes; its log: crictl logs \$(crictl ps -a -q --name=$name | head -n 1)"
  done
}

until_ready() {
  [ "$KUBELOOM_WAIT" != no ] || return 0
  for _ in $(seq 360); do
    ! api_ready || return 0
    sleep 1
  done
  die "the API server of $KUBELOOM_NODE is not ready 6 minutes after it was restarted"
}

if ! is_done renewed; then
  : >"$marker"
  kubeadm certs renew all >&2
  finish renewed
  changed "renewed its certificates"
fi
# The API server is away while its etcd is: a connection that is refused goes to another one at once, a request that waits for etcd does not.
if ! is_done storage; then
  restart kube-apiserver etcd
  until_ready
  finish storage
  changed 'restarted kube-apiserver and etcd'
fi
for name in kube-controller-manager kube-scheduler; do
  is_done "$name" || { restart "$name"; finish "$name"; changed "restarted $name"; }
done
rm -f "$marker"
