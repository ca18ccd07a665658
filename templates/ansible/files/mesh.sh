# Brings wg0 to the wanted address and peers without ever taking it down: SSH, etcd and pods run over it.
# KUBELOOM_ADDRESS: address/prefix · KUBELOOM_PORT: listen port · KUBELOOM_PEERS: [Peer] sections, base64.
umask 077
mtu=1380
[ -s /etc/wireguard/private.key ] || die "this node has no WireGuard key; it has to be in the group install first"
put /etc/wireguard/wg0.conf 600 <<END
[Interface]
PrivateKey = $(cat /etc/wireguard/private.key)
Address = $KUBELOOM_ADDRESS
ListenPort = $KUBELOOM_PORT
MTU = $mtu
$(base64 -d <<<"$KUBELOOM_PEERS")
END

if [ "$(systemctl is-enabled wg-quick@wg0.service 2>/dev/null)" != enabled ]; then
  systemctl enable --quiet wg-quick@wg0.service
  changed "wg-quick@wg0 starts with the machine"
fi
if ! wg show wg0 >/dev/null 2>&1; then
  # A unit whose program died counts as active still, so start alone would do nothing. What comes before wireguard-go took over, and its
  # box with advice, is not why it fails.
  systemctl restart wg-quick@wg0.service ||
    die "WireGuard does not start: $(journalctl -u wg-quick@wg0.service -n 40 -o cat --no-pager 2>/dev/null |
      awk '/Falling back to slow userspace/ { why = ""; next } !/│|┌|└/ { why = why " " $0 } END { print why }')"
  changed "started wg0"
fi

# What runs may differ from the file (drift, or an earlier run that was interrupted): compare keys, addresses and port.
live() { wg show wg0 allowed-ips | tr '\t' ' ' | sort; wg show wg0 listen-port; }
desired() {
  awk '$1 == "PublicKey" { key = $3 } $1 == "AllowedIPs" { print key " " $3 }' /etc/wireguard/wg0.conf | sort
  echo "$KUBELOOM_PORT"
}
fingerprint=$(sha256sum </etc/wireguard/wg0.conf)
if [ "$(live)" != "$(desired)" ] || [ "$(cat /run/kubeloom-mesh 2>/dev/null)" != "$fingerprint" ]; then
  before=$(live)
  wg syncconf wg0 <(grep -vE "^(Address|MTU) =" /etc/wireguard/wg0.conf)
  [ "$(live)" = "$before" ] || changed "peers of wg0: $(wg show wg0 peers | wc -l)"
  printf '%s\n' "$fingerprint" >/run/kubeloom-mesh
fi

if [ "$(ip -4 -o address show dev wg0 | awk '{ print $4 }')" != "$KUBELOOM_ADDRESS" ]; then
  ip -4 address flush dev wg0
  ip -4 address add "$KUBELOOM_ADDRESS" dev wg0
  changed "address of wg0"
fi
if [ "$(cat /sys/class/net/wg0/mtu)" != $mtu ]; then ip link set dev wg0 mtu $mtu; changed "MTU of wg0"; fi
