# Sent in front of endpoint-control.sh: kubeadm's configuration of this node, with the new endpoint in it, in $work/kubeadm.yaml.
# KUBELOOM_NAMES: every name of the API, the endpoint first; certificates have to hold them
# KUBELOOM_NODE: name of this node · KUBELOOM_USER: who KubeOne came in as; its files are in that user's home.
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# KubeOne leaves several: the one to take is of this very node (names compared whole) and has the whole cluster in it.
config=''
for file in "$(getent passwd "$KUBELOOM_USER" | cut -d: -f6)"/kubeone/cfg/*full*.yaml /root/kubeone/cfg/*full*.yaml; do
  grep -qsx 'kind: ClusterConfiguration' "$file" || continue
  grep -qx 'kind: InitConfiguration' "$file" || continue
  awk -v name="$KUBELOOM_NODE" '$1 == "name:" { gsub(/["'\'']/, "", $2); if ($2 == name) found = 1 } END { exit !found }' "$file" || continue
  config=$file
  break
done
[ -n "$config" ] || die "no kubeadm configuration of $KUBELOOM_NODE is left below ~$KUBELOOM_USER/kubeone/cfg; kubeone apply writes it"

# Items of a list may be indented deeper than its key or not: those that are added are like the first one.
awk -v endpoint="$endpoint" -v names="$KUBELOOM_NAMES" '$1 == "controlPlaneEndpoint:" { sub(/controlPlaneEndpoint:.*/, "controlPlaneEndpoint: " endpoint) }
  first { match($0, /^ */); indent = substr($0, 1, RLENGTH); for (n = split(names, name, " "); n > 0; n--) print indent "- " name[n] }
  { print; first = $0 ~ /^ *certSANs:$/ }' \
  "$config" >"$work/kubeadm.yaml"
