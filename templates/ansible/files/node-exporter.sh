# Metrics of the machine for Prometheus, after packages.sh. KUBELOOM_METRICS: address on the VPN and port. They are worth no failure of traffic: serve_metrics is called after all else.
exporter=prometheus-node-exporter own=/etc/systemd/system/prometheus-node-exporter.service.d/kubeloom.conf metrics=ours
if [ ! -e $own ] && systemctl is-enabled --quiet $exporter.service 2>/dev/null; then
  note "this machine has a node exporter of its own, which is left as it is"
  metrics=theirs
else
  # Before the package, which starts its unit on all addresses. Restarted for ever: wg0 may get its address later.
  put $own 644 <<END
[Unit]
StartLimitIntervalSec=0
[Service]
ExecStart=
ExecStart=/usr/bin/prometheus-node-exporter --web.listen-address=$KUBELOOM_METRICS
Restart=always
RestartSec=2
END
  renewed=$rewritten
  [ "$renewed" = 0 ] || systemctl daemon-reload
  # A new machine asks apt once for both.
  installed haproxy || (packages haproxy $exporter) || true
fi

serve_metrics() {
  [ $metrics = ours ] || return 0
  installed $exporter || (packages $exporter) || { note "there are no metrics of this machine: $exporter cannot be installed"; return 0; }
  if ! systemctl is-enabled --quiet $exporter.service 2>/dev/null; then
    if systemctl enable --quiet $exporter.service 2>/dev/null; then changed "the node exporter starts with the machine"
    else note "the node exporter cannot be enabled"; fi
  fi
  if [ "$renewed" = 1 ] || ! systemctl is-active --quiet $exporter.service; then
    systemctl restart $exporter.service || note "the node exporter does not start: $(journalctl -u $exporter.service -n 1 -o cat --no-pager 2>/dev/null || true)"
  fi
}
