# A machine that was made just now. KUBELOOM_NODE: its name, empty for machines that have one of their own.

# Until it has ended, cloud-init works with packages and keys as well; where it complains, the node may be good all the same.
if command -v cloud-init >/dev/null; then timeout 300 cloud-init status --wait >/dev/null 2>&1 || true; fi

if [ -n "$KUBELOOM_NODE" ]; then
  [ "$(cat /proc/sys/kernel/hostname)" = "$KUBELOOM_NODE" ] || { hostname "$KUBELOOM_NODE"; changed "named $KUBELOOM_NODE"; }
  put /etc/hostname 644 <<<"$KUBELOOM_NODE"
  # sudo and kubeadm look the name up.
  getent hosts "$KUBELOOM_NODE" >/dev/null || put /etc/hosts 644 <<<"$(cat /etc/hosts; echo "127.0.1.1 $KUBELOOM_NODE")"
fi
