# Whether the API server of this control node is ready, with its etcd. The node's own, whatever the endpoint of the cluster is.
# KUBELOOM_API_PORT: where it listens.
api_ready() {
  kubectl --kubeconfig=/etc/kubernetes/admin.conf --server="https://127.0.0.1:$KUBELOOM_API_PORT" --tls-server-name=kubernetes \
    --request-timeout=5s get --raw /readyz >/dev/null 2>&1
}
