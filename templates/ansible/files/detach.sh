# Cleans a static node that leaves its cluster, so that it can join another one. Nothing here stops at what is gone already,
# and nothing of the machine's owner goes: other tunnels, a haproxy that was never ours, the upgrades that we stopped.
for unit in haproxy.service kubeloom-udp.service; do
  if [ -e /etc/kubeloom/haproxy ] && systemctl is-enabled --quiet "$unit" 2>/dev/null; then
    systemctl disable --now --quiet "$unit" || note "$unit did not stop"
    changed "stopped $unit"
  fi
done
exporter=/etc/systemd/system/prometheus-node-exporter.service.d/kubeloom.conf
if [ -e $exporter ]; then
  systemctl disable --now --quiet prometheus-node-exporter.service 2>/dev/null || note "the node exporter did not stop"
  drop $exporter
  rmdir --ignore-fail-on-non-empty "$(dirname $exporter)"
fi
nft delete table ip kubeloom_udp 2>/dev/null || true
if systemctl is-enabled --quiet wg-quick@wg0.service 2>/dev/null || [ -e /sys/class/net/wg0 ]; then
  systemctl disable --now --quiet wg-quick@wg0.service || note "wg-quick@wg0 did not stop"
  ip link delete wg0 2>/dev/null || true
  changed "stopped wg0"
fi
[ ! -e /etc/kubeloom/haproxy ] || drop /etc/haproxy/haproxy.cfg
if [ -e /etc/kubeloom/unattended-upgrades ]; then
  systemctl unmask --quiet unattended-upgrades.service
  if [ "$(cat /etc/kubeloom/unattended-upgrades)" = enabled ]; then
    systemctl enable --now --quiet unattended-upgrades.service 2>/dev/null || note "unattended-upgrades does not start"
  fi
  changed "unattended-upgrades works again"
fi
# The boot script of a machine group may hold what no one else should read.
drop /var/lib/kubeloom /etc/wireguard/wg0.conf /etc/wireguard/private.key /etc/kubeloom /etc/kubeone /run/kubeloom-mesh /run/kubeloom-udp \
  /etc/sysctl.d/zz-kubeloom-ports.conf /etc/systemd/system/kubeloom-udp.service /etc/sysctl.d/zz-kubeloom-udp.conf \
  /etc/sysctl.d/zz-kubeloom.conf /etc/security/limits.d/90-kubeloom.conf /etc/systemd/system.conf.d/90-kubeloom.conf \
  /etc/multipath/conf.d/kubeloom.conf
[ ! -d /etc/wireguard ] || rmdir --ignore-fail-on-non-empty /etc/wireguard
systemctl daemon-reload
