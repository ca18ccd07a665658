# UDP roles of a load balancer. KUBELOOM_UDP: lines of udp-balancer.sh, base64, empty = none · KUBELOOM_UDP_PROGRAM: that file, base64.
roles=/etc/kubeloom/udp-roles
program=/etc/kubeloom/udp-balancer
unit=/etc/systemd/system/kubeloom-udp.service
drop /etc/kubeloom/udp.nft /etc/kubeloom/udp.nft.wanted
if [ -z "$KUBELOOM_UDP" ]; then
  if [ -e $roles ]; then
    systemctl disable --now --quiet kubeloom-udp.service 2>/dev/null || true
    nft delete table ip kubeloom_udp 2>/dev/null || true
    conntrack -D -p udp --dst-nat >/dev/null 2>&1 || true
    drop $roles $program $unit /etc/sysctl.d/zz-kubeloom-udp.conf /run/kubeloom-udp
    systemctl daemon-reload
  fi
else
  packages nftables conntrack
  sysctl -qw net.ipv4.ip_forward=1
  put /etc/sysctl.d/zz-kubeloom-udp.conf 644 <<<"net.ipv4.ip_forward = 1"
  put $program 755 <<<"$(base64 -d <<<"$KUBELOOM_UDP_PROGRAM")"
  fresh=$rewritten
  put $roles 644 <<<"$(base64 -d <<<"$KUBELOOM_UDP")"
  put $unit 644 <<END
[Unit]
Description=UDP roles of a Kubeloom load balancer
After=wg-quick@wg0.service
[Service]
ExecStart=$program
Restart=always
RestartSec=2
[Install]
WantedBy=multi-user.target
END
  fresh=$((fresh + rewritten))
  [ $fresh = 0 ] || systemctl daemon-reload
  systemctl is-enabled --quiet kubeloom-udp.service 2>/dev/null || systemctl enable --quiet kubeloom-udp.service
  before=$(nft list table ip kubeloom_udp 2>/dev/null || true)
  faults=$($program once 2>&1) || die "the kernel refuses the UDP roles, the old ones stay in force: $faults"
  [ "$(nft list table ip kubeloom_udp)" = "$before" ] || changed "UDP roles are in force"
  if [ $fresh != 0 ] || ! systemctl is-active --quiet kubeloom-udp.service; then
    systemctl restart kubeloom-udp.service
    changed "started the health checks of UDP roles"
  fi
fi
