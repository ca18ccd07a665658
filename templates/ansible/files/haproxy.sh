# Load balancer for TCP roles, after haproxy-state.sh. KUBELOOM_PORTS: ports of all roles, comma list.
# Reloads, never restarts: connections live on. Where the new configuration does not run, the old one is put back.
wanted=/etc/kubeloom/haproxy/wanted.cfg
packages haproxy

# No outgoing connection may take the port of a role: haproxy could not listen on it.
settings /etc/sysctl.d/zz-kubeloom-ports.conf <<<"net.ipv4.ip_local_reserved_ports = $KUBELOOM_PORTS"

put $wanted 644 <<<"$text"
faults=$(haproxy -c -q -f $wanted 2>&1) || die "haproxy refuses the configuration, the old one stays in force: $faults"

log() { journalctl -u haproxy.service --since "@$began" -o cat --no-pager 2>/dev/null || true; }
back() {
  if [ -e $config.before ]; then mv -f $config.before $config; else rm -f $config; fi
  die "$1: $(log | grep -E 'ALERT|rror' | tail -n 5 | tr '\n' ' ')"
}

# A failed try makes haproxy stop listening for seconds on all ports: another program on a port of a new role is found before it.
if systemctl is-active --quiet haproxy.service; then
  while read -r port; do
    others=$(ss -Htanp "sport = :$port" | grep users: | grep -v '"haproxy"' | head -n 1 || true)
    [ -z "$others" ] || die "port $port of a role is in use on the load balancer, nothing was changed: $(tr -s ' ' <<<"$others")"
  done < <(sed -n 's/^  bind :\([0-9]*\)$/\1/p' $wanted)
fi

began=$EPOCHSECONDS
[ ! -e $config ] || cp -p $config $config.before
put $config 644 <$wanted
if [ "$(systemctl is-enabled haproxy.service 2>/dev/null)" != enabled ]; then
  systemctl enable --quiet haproxy.service 2>/dev/null
  changed "haproxy starts with the machine"
fi
if ! systemctl is-active --quiet haproxy.service; then
  systemctl reset-failed haproxy.service 2>/dev/null || true
  systemctl start haproxy.service || back "haproxy does not start"
  changed "started haproxy"
elif [ $rewritten = 1 ] || [ "$(running)" != "$fingerprint" ]; then
  systemctl reload haproxy.service || back "haproxy does not reload"
  for ((tries = 0; tries < 150; tries++)); do
    [ "$(running)" != "$fingerprint" ] || break
    sleep 0.2
    ! log | grep -qE 'Loading failure|Reload failed' || break
  done
  [ "$(running)" = "$fingerprint" ] || back "haproxy does not run with the new configuration, the old one is in force again"
  changed "haproxy reloaded its roles"
fi
rm -f $config.before
