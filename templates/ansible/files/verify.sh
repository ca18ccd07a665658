# Pings every peer over WireGuard, many at once, and reports which answer; and which peers of wg0 are too many.
# KUBELOOM_PEERS: "name=address" words.
answer() {
  # The first packet may be lost while the handshake is made.
  for _ in 1 2 3; do
    if ping -q -c 1 -W 2 "${1#*=}" >/dev/null 2>&1; then echo "\"${1%%=*}\":true"; return; fi
  done
  echo "\"${1%%=*}\":false"
}
export -f answer
fact mesh "{$(tr ' ' '\n' <<<"$KUBELOOM_PEERS" | grep . | xargs -r -P 200 -I '{}' bash -c 'answer {}' | paste -sd, -)}"
expected=$(tr ' ' '\n' <<<"$KUBELOOM_PEERS" | sed -n 's|.*=\(.*\)|\1/32|p' | sort)
surplus=$(wg show wg0 allowed-ips 2>/dev/null | cut -f 2 | sort | comm -13 <(printf '%s\n' "$expected") - | sed 's/.*/"&"/' | paste -sd, -) || true
fact surplus "[$surplus]"
fact bootId "\"$(cat /proc/sys/kernel/random/boot_id)\""
