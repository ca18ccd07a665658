# Load balancer for UDP roles: address translation in the kernel (haproxy passes TCP only). It has no health checks.
# KUBELOOM_UDP: the nft table, base64; empty = no UDP roles.
rules=/etc/kubeloom/udp.nft
if [ -z "$KUBELOOM_UDP" ]; then
  if [ -e $rules ]; then
    systemctl disable --now --quiet kubeloom-udp.service 2>/dev/null || true
    nft delete table ip kubeloom_udp 2>/dev/null || true
    drop $rules /etc/systemd/system/kubeloom-udp.service /etc/sysctl.d/zz-kubeloom-udp.conf
    systemctl daemon-reload
  fi
else
  packages nftables
  put $rules.wanted 644 <<<"$(base64 -d <<<"$KUBELOOM_UDP")"
  faults=$(nft -c -f $rules.wanted 2>&1) || die "the kernel refuses the UDP roles, the old ones stay in force: $faults"
  put $rules 644 <$rules.wanted
  replaced=$rewritten
  put /etc/sysctl.d/zz-kubeloom-udp.conf 644 <<<"net.ipv4.ip_forward = 1"
  sysctl -qw net.ipv4.ip_forward=1
  put /etc/systemd/system/kubeloom-udp.service 644 <<END
[Unit]
Description=UDP roles of a Kubeloom load balancer
After=wg-quick@wg0.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=$(command -v nft) -f $rules
ExecStop=$(command -v nft) delete table ip kubeloom_udp
[Install]
WantedBy=multi-user.target
END
  [ $rewritten = 0 ] || systemctl daemon-reload
  systemctl is-enabled --quiet kubeloom-udp.service 2>/dev/null || systemctl enable --quiet kubeloom-udp.service
  if [ "$replaced" = 1 ] || ! nft list table ip kubeloom_udp >/dev/null 2>&1; then
    nft -f $rules
    systemctl start kubeloom-udp.service
    changed "UDP roles are in force"
  fi
  note "UDP roles have no health checks: a target that is down still gets its share"
fi
