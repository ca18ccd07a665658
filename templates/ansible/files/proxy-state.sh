# Sent in front of proxy.sh and verify-proxy.sh: where the installation proxy is set, and to what. KUBELOOM_PROXY: endpoint, empty = none ·
# KUBELOOM_NO_PROXY: comma list.
apt=/etc/apt/apt.conf.d file=/etc/kubeloom/proxy.env services=(kubelet containerd docker)
block='/^# BEGIN kubeloom proxy$/,/^# END kubeloom proxy$/'

variables() {
  [ -n "$KUBELOOM_PROXY" ] || return 0
  for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do echo "$name=\"$KUBELOOM_PROXY\""; done
  for name in no_proxy NO_PROXY; do echo "$name=\"$KUBELOOM_NO_PROXY\""; done
}
apt_settings() { [ -z "$KUBELOOM_PROXY" ] || printf 'Acquire::%s::Proxy "%s";\n' http "$KUBELOOM_PROXY" https "$KUBELOOM_PROXY"; }
# Read after KubeOne's http-proxy.conf, with which `#kubeone` becomes a part of each value.
unit_settings() { [ -z "$KUBELOOM_PROXY" ] || printf '%s\n' '[Service]' 'EnvironmentFile=-/etc/kubeloom/proxy.env'; }
environment_block() { [ -z "$KUBELOOM_PROXY" ] || { echo "# BEGIN kubeloom proxy"; variables; echo "# END kubeloom proxy"; }; }
