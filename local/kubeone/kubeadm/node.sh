# Sent to a host in front of each step of kubeadm.ts, as root. Steps can be repeated: what is done already changes nothing.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive KUBECONFIG=/etc/kubernetes/admin.conf PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
socket=unix:///run/containerd/containerd.sock

# A step whose run was interrupted continues to its end on this host; the step of the next run waits for it.
exec 9>/run/kubeloom-step.lock
flock --wait 900 9 || { echo "a step of an earlier run has not ended after 15 minutes" >&2; exit 1; }

# probe: what is on this host, as JSON. Kubernetes is set up when the kubelet has its own identity.
probe() {
  local version=null authority=null holds=false server=null image
  if [ -e /etc/kubernetes/kubelet.conf ] && command -v kubelet >/dev/null; then
    version="\"$(dpkg-query -W -f '${Version}' kubelet | cut -d- -f1)\""
  fi
  [ ! -e /etc/kubernetes/pki/ca.crt ] || authority="\"$(sha256sum </etc/kubernetes/pki/ca.crt | cut -d' ' -f1)\""
  [ ! -e /etc/kubernetes/pki/ca.key ] || holds=true
  image=$(sed -n 's/^ *image: .*kube-apiserver:v//p' /etc/kubernetes/manifests/kube-apiserver.yaml 2>/dev/null || true)
  [ -z "$image" ] || server="\"$image\""
  printf '{"kubernetesVersion":%s,"authority":%s,"holdsAuthority":%s,"apiServerVersion":%s}\n' "$version" "$authority" "$holds" "$server"
}

# install VERSION PACKAGE...: packages of Kubernetes in exactly this version, and what they need.
install() {
  local version=$1 package wanted=() missing=()
  shift
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${Version} ${Status}' "$package" 2>/dev/null) == "$version"-*' installed' ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  for package in "${missing[@]}"; do wanted+=("$package=$version-*"); done
  command -v containerd >/dev/null || wanted+=(containerd.io cri-tools kubernetes-cni)
  apt-get -qq -o DPkg::Lock::Timeout=300 update
  apt-mark -qq unhold "${missing[@]}" >/dev/null 2>&1 || true
  apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends --allow-downgrades install "${wanted[@]}" >/tmp/kubeloom-apt.log 2>&1 || {
    tail -n 5 /tmp/kubeloom-apt.log >&2
    return 1
  }
  apt-mark -qq hold kubelet kubeadm kubectl containerd.io >/dev/null
}

# prepare VERSION PAUSE: packages, kernel settings and containerd, before kubeadm comes.
prepare() {
  swapoff -a
  sed -i.kubeloom '/^[^#].*[[:space:]]swap[[:space:]]/s/^/# /' /etc/fstab
  printf 'overlay\nbr_netfilter\n' >/etc/modules-load.d/containerd.conf
  modprobe overlay
  modprobe br_netfilter
  printf '%s = 1\n' net.bridge.bridge-nf-call-iptables net.bridge.bridge-nf-call-ip6tables net.ipv4.ip_forward >/etc/sysctl.d/k8s.conf
  sysctl -q -p /etc/sysctl.d/k8s.conf
  install "$1" kubelet kubeadm kubectl
  mkdir -p /etc/containerd
  containerd config default | sed -E "s/SystemdCgroup = false/SystemdCgroup = true/; s#(sandbox(_image)? = ).*#\1'registry.k8s.io/pause:$2'#; s#config_path = ''#config_path = '/etc/containerd/certs.d'#" >/etc/containerd/config.toml.new
  if ! cmp -s /etc/containerd/config.toml.new /etc/containerd/config.toml; then
    mv /etc/containerd/config.toml.new /etc/containerd/config.toml
    systemctl restart containerd
  fi
  systemctl enable -q --now containerd kubelet
}

# run_kubeadm ARGUMENTS: on failure prints only its errors, and the last lines of the kubelet if kubeadm waited for it.
run_kubeadm() {
  local log=/tmp/kubeloom-kubeadm.log
  kubeadm "$@" >$log 2>&1 && return 0
  grep -E '^error|\[ERROR' $log >&2 || tail -n 3 $log >&2
  ! grep -q kubelet $log || journalctl -u kubelet -o cat -n 200 --no-pager | grep -E '"command failed"|^E[0-9]' | tail -n 1 >&2
  return 1
}

# What an interrupted step left behind would make kubeadm refuse the next one.
start_again() {
  if [ -e /etc/kubernetes/pki/ca.crt ] || [ -e /etc/kubernetes/bootstrap-kubelet.conf ]; then reset ""; fi
}

# configuration FILE [TEXT]: TEXT, or that in KUBEADM_CONFIG, where KubeOne keeps it too.
configuration() {
  mkdir -p "$HOME/kubeone/cfg"
  (umask 077 && base64 -d <<<"${2:-$KUBEADM_CONFIG}" >"$HOME/kubeone/cfg/$1")
}

# init VERSION PAUSE: the first control node. Each phase of kubeadm keeps what exists, so an interrupted one continues.
init() {
  prepare "$@"
  configuration master_full.yaml
  run_kubeadm init --config "$HOME/kubeone/cfg/master_full.yaml" --ignore-preflight-errors=all
}

# join VERSION PAUSE FILE. FULL_CONFIG: of control nodes. As with KubeOne, their certificate has all names in it, also those that the
# cluster's ConfigMap has not yet; kubeadm keeps it.
join() {
  start_again
  prepare "$1" "$2"
  configuration "$3"
  if [ -n "${FULL_CONFIG:-}" ]; then
    configuration master_full.yaml "$FULL_CONFIG"
    run_kubeadm join phase control-plane-prepare download-certs --config "$HOME/kubeone/cfg/$3"
    run_kubeadm init phase certs apiserver --config "$HOME/kubeone/cfg/master_full.yaml"
  fi
  run_kubeadm join --config "$HOME/kubeone/cfg/$3" --ignore-preflight-errors=SystemVerification
  rm -f "$HOME/kubeone/cfg/$3"
}

# credentials: what joining nodes need, as JSON. The certificates of control nodes are in the cluster for two hours, encrypted.
credentials() {
  local token key hash
  token=$(kubeadm token create --ttl 30m)
  hash=$(openssl x509 -pubkey -noout </etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | sha256sum | cut -d' ' -f1)
  key=$([ "$1" = workers ] || kubeadm init phase upload-certs --upload-certs 2>/dev/null | tail -n 1)
  printf '{"token":"%s","caCertHash":"sha256:%s","certificateKey":"%s"}\n' "$token" "$hash" "$key"
}

# upgrade_by_kubeadm VERSION apply|node
upgrade_by_kubeadm() {
  install "$1" kubeadm
  if [ "$2" = apply ]; then
    run_kubeadm upgrade apply -y "v$1" --ignore-preflight-errors=SystemVerification,CreateJob
  else
    run_kubeadm upgrade node --ignore-preflight-errors=SystemVerification
  fi
}

# upgrade_kubelet VERSION
upgrade_kubelet() {
  install "$1" kubelet kubectl
  systemctl daemon-reload
  systemctl restart kubelet
}

# drain NODE / resume NODE, on a control node. KubeOne's label: a run that is interrupted leaves it.
upgrading=kubeone.io/upgrade-in-progress
drain() {
  kubectl label node "$1" "$upgrading=" --overwrite >/dev/null
  kubectl drain "$1" --ignore-daemonsets --delete-emptydir-data --force --timeout=10m
}
resume() {
  kubectl uncordon "$1" >/dev/null
  kubectl label node "$1" "$upgrading-" >/dev/null
}

# forget NODE SELF, on another control node, whose name is SELF: its etcd member and its Node object. The pod's environment says how (#initConfig).
forget() {
  local member etcdctl=(kubectl exec -n kube-system "etcd-$2" -- etcdctl)
  member=$("${etcdctl[@]}" member list | awk -F ', ' -v name="$1" '$3 == name { print $1 }')
  [ -z "$member" ] || "${etcdctl[@]}" member remove "$member" >/dev/null
  kubectl delete node "$1" --ignore-not-found >/dev/null
}

# network: the manifest in NETWORK. It is in use on every node before a node is drained: services would still send requests to pods that have ended.
network() {
  base64 -d <<<"$NETWORK" | kubectl apply -f - >/dev/null
  kubectl -n kube-system rollout status daemonset kubeloom-network --timeout=120s >/dev/null ||
    echo "the network is not ready on every node yet" >&2
}

# reset [binaries]: `binaries` removes them, too.
reset() {
  if command -v kubeadm >/dev/null; then kubeadm reset -f --cri-socket "$socket" >/dev/null 2>&1 || true; fi
  local link
  for link in cni0 flannel.1; do ip link del "$link" 2>/dev/null || true; done
  rm -rf /etc/kubernetes /etc/cni/net.d /run/flannel /var/lib/cni "$HOME/kubeone"
  rm -rf /var/lib/etcd/* /var/lib/kubelet/pki /var/lib/kubelet/*.yaml /var/lib/kubelet/*.env
  [ "${1:-}" = binaries ] || return 0
  apt-mark -qq unhold kubelet kubeadm kubectl >/dev/null 2>&1 || true
  apt-get -qq -y -o DPkg::Lock::Timeout=300 remove --purge kubelet kubeadm kubectl kubernetes-cni cri-tools >/dev/null 2>&1 || true
  rm -rf /opt/cni
}
