# Firewall of a node whose cloud has none. KUBELOOM_FIREWALL: the nft table, base64 · KUBELOOM_ADMITTED: networks that SSH is open to.
rules=/etc/kubeloom/firewall.nft
unit=/etc/systemd/system/kubeloom-firewall.service

number() { local IFS=. part n=0; for part in $1; do n=$((n * 256 + part)); done; echo $n; }
within() {
  local shift=$((32 - ${2#*/}))
  [ $(($(number "$1") >> shift)) -eq $(($(number "${2%/*}") >> shift)) ]
}
# The connection that sets the firewall must stay open.
client=${SSH_CONNECTION:-}
client=${client%% *}
admitted=no
for network in $KUBELOOM_ADMITTED; do
  if [ -z "$client" ] || [ "$network" = 0.0.0.0/0 ]; then admitted=yes
  elif [[ $client != *:* ]] && within "$client" "$network"; then admitted=yes; fi
done
[ $admitted = yes ] ||
  die "the firewall stays as it is: Kubeloom comes from $client, and KUBELOOM_RUNNER_CIDRS does not have that address, so it would shut itself out"

packages nftables
put $rules.wanted 644 <<<"$(base64 -d <<<"$KUBELOOM_FIREWALL")"
faults=$(nft -c -f $rules.wanted 2>&1) || die "the kernel refuses the firewall, the old one stays in force: $faults"
put $rules 644 <$rules.wanted
replaced=$rewritten
put $unit 644 <<END
[Unit]
Description=Firewall of a Kubeloom node
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target shutdown.target
After=nftables.service
Conflicts=shutdown.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=$(command -v nft) -f $rules
[Install]
WantedBy=sysinit.target
END
[ $rewritten = 0 ] || systemctl daemon-reload
systemctl is-enabled --quiet kubeloom-firewall.service 2>/dev/null || systemctl enable --quiet kubeloom-firewall.service

# What the kernel has may differ from the file: something else may have changed it. The table is replaced in one step.
live() { nft list table inet kubeloom 2>/dev/null || true; }
before=$(live)
if [ $replaced = 1 ] || [ "$(sha256sum <<<"$before")" != "$(cat $rules.live 2>/dev/null)" ]; then
  nft -f $rules
  sha256sum <<<"$(live)" >$rules.live
  [ "$(live)" = "$before" ] || changed "the firewall is in force"
fi
