# A control node: certificate of the API server, kubeconfigs and kubeadm's own notes are made for the new endpoint.
holds_names() {
  local name
  for name in $KUBELOOM_NAMES; do
    openssl x509 -in "$kubernetes/pki/apiserver.crt" -noout "$([[ $name =~ ^[0-9.]+$ ]] && echo -checkip || echo -checkhost)" \
      "$name" 2>/dev/null | grep -q 'does match' || return 1
  done
}
ready() { curl -sk -o /dev/null -f https://127.0.0.1:6443/readyz; }
# Written last: a way that was interrupted is gone again.
done_for=$kubernetes/kubeloom-endpoint
if [ "$(cat "$done_for" 2>/dev/null)" = "$endpoint" ] && [ "$(server_in "$kubernetes/admin.conf")" = "$endpoint" ] && holds_names && ready; then exit 0; fi

# Files that are recreated are saved first, and restored if this script fails half-way.
before=$kubernetes/kubeloom-before-move
mkdir -p "$before"
old=(pki/apiserver.crt pki/apiserver.key admin.conf controller-manager.conf kubelet.conf scheduler.conf super-admin.conf)
put_back() {
  local file
  for file in "${old[@]}"; do [ ! -e "$before/${file//\//_}" ] || cp -a "$before/${file//\//_}" "$kubernetes/$file"; done
  systemctl start kubelet.service || true
  rm -rf "$work"
}
trap put_back EXIT
systemctl stop kubelet.service
for file in "${old[@]}"; do
  [ ! -e "$kubernetes/$file" ] || mv -f "$kubernetes/$file" "$before/${file//\//_}"
done
kubeadm init phase certs apiserver --config "$work/kubeadm.yaml" >&2
kubeadm init phase kubeconfig all --config "$work/kubeadm.yaml" >&2
# Only the first control node has it; kubeadm makes it everywhere.
[ -e "$before/super-admin.conf" ] || rm -f "$kubernetes/super-admin.conf"
trap 'rm -rf "$work"' EXIT
rm -rf "$before"
restart_kubelet
# These two read their kubeconfig once. The API server reloads its new certificate automatically.
for name in kube-controller-manager kube-scheduler; do
  for pod in $(crictl pods --name "$name" -q 2>/dev/null); do
    if ! crictl stopp "$pod" >&2 || ! crictl rmp "$pod" >&2; then note "pod $name was restarted by others"; fi
  done
done
for tries in $(seq 1 60); do
  ready && kubeadm init phase upload-config all --config "$work/kubeadm.yaml" >&2 && break
  [ "$tries" -lt 60 ] || die "the API does not answer under $endpoint after 5 minutes; does $KUBELOOM_HOST lead to the control nodes?"
  sleep 5
done
echo "$endpoint" >"$done_for"
changed "API endpoint is $endpoint"
