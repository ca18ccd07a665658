# Creates the node's WireGuard key once and prints the public half; the private one never leaves the node.
# KUBELOOM_PORT: listen port.
umask 077
mkdir -p /etc/wireguard
if [ ! -s /etc/wireguard/private.key ]; then
  wg genkey >/etc/wireguard/private.key.new
  mv /etc/wireguard/private.key.new /etc/wireguard/private.key
  changed "made a WireGuard key"
fi
fact wireguardPublicKey "\"$(wg pubkey </etc/wireguard/private.key)\""
fact wireguardPort "$KUBELOOM_PORT"
fact bootId "\"$(cat /proc/sys/kernel/random/boot_id)\""
