# Does a load balancer serve the roles that it should? Changes nothing. KUBELOOM_UDP: as for udp-roles.sh.
differs=()
if ! systemctl is-active --quiet haproxy.service; then
  differs+=("haproxy does not run")
elif [ "$(running)" != "$fingerprint" ]; then
  differs+=("haproxy runs with another configuration")
fi
cmp -s "$config" <<<"$text" || differs+=("$config was changed")
if [ -n "$KUBELOOM_UDP" ]; then
  [ "$(cat /etc/kubeloom/udp-roles 2>/dev/null)" = "$(base64 -d <<<"$KUBELOOM_UDP")" ] || differs+=("the UDP roles were changed")
  systemctl is-active --quiet kubeloom-udp.service || differs+=("the health checks of UDP roles do not run")
  nft list table ip kubeloom_udp >/dev/null 2>&1 || differs+=("the kernel has no UDP roles")
fi
words=$(printf '"%s",' "${differs[@]:+${differs[@]}}")
[ ${#differs[@]} -gt 0 ] || words=
fact roles "[${words%,}]"
