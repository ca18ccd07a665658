# A compute node: only its kubelet knows the endpoint. KUBELOOM_OLD_HOSTS: hosts that were the endpoint before.
conf=$kubernetes/kubelet.conf
[ -s "$conf" ] || die "$conf is missing: this node has not joined Kubernetes"
now=$(server_in "$conf")
if [ "$now" = "$endpoint" ]; then
  systemctl is-active --quiet kubelet.service || { restart_kubelet; changed "started the kubelet"; }
  exit 0
fi
# Compared whole: 10.0.0.1 is the beginning of 10.0.0.12.
known=no
for host in $KUBELOOM_OLD_HOSTS; do [ "${now%:*}" != "$host" ] || known=yes; done
[ $known = yes ] || die "$conf names the API endpoint $now, which is neither the old one nor $endpoint; it is left as it is"

# What answers is kept until the new endpoint answers this node too, with a certificate of this cluster: for 5 minutes, as on control nodes.
for tries in $(seq 1 60); do
  answer=$(curl -sS --noproxy '*' --max-time 5 --cacert "$kubernetes/pki/ca.crt" -o /dev/null -w '%{http_code}' "https://$endpoint/readyz" 2>&1) || true
  # The last two: it lets no stranger ask.
  [[ $answer =~ ^(200|401|403)$ ]] && break
  [ "$tries" -lt 60 ] || die "the API does not answer this node under $endpoint ($answer); its kubelet keeps $now"
  sleep 5
done

systemctl stop kubelet.service
awk -v new="https://$endpoint" '$1 == "server:" { sub(/server:.*/, "server: " new) } { print }' "$conf" | put "$conf" 600
restart_kubelet
changed "the kubelet speaks to $endpoint instead of $now"
