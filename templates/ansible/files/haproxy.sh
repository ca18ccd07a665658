# Load balancer for TCP roles. KUBELOOM_HAPROXY: the whole configuration, base64. Reloads, never restarts: connections live on.
packages haproxy
put /etc/kubeloom/haproxy/wanted.cfg 644 <<<"$(base64 -d <<<"$KUBELOOM_HAPROXY")"
if ! faults=$(haproxy -c -q -f /etc/kubeloom/haproxy/wanted.cfg 2>&1); then
  die "haproxy refuses the configuration, the old one stays in force: $faults"
fi
put /etc/haproxy/haproxy.cfg 644 </etc/kubeloom/haproxy/wanted.cfg
replaced=$rewritten

if [ "$(systemctl is-enabled haproxy.service 2>/dev/null)" != enabled ]; then
  systemctl enable --quiet haproxy.service 2>/dev/null
  changed "haproxy starts with the machine"
fi
if ! systemctl is-active --quiet haproxy.service; then
  systemctl reset-failed haproxy.service 2>/dev/null || true
  systemctl start haproxy.service ||
    die "haproxy does not start: $(journalctl -u haproxy.service -n 5 -o cat --no-pager 2>/dev/null | tr '\n' ' ')"
  changed "started haproxy"
elif [ "$replaced" = 1 ] || [ /etc/haproxy/haproxy.cfg -nt /run/kubeloom-haproxy ]; then
  systemctl reload haproxy.service
  changed "haproxy reloaded its roles"
fi
touch /run/kubeloom-haproxy
