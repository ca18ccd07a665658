# Sets or clears the installation proxy. KUBELOOM_PROXY: endpoint, empty = clear · KUBELOOM_NO_PROXY: comma list.
# A marked block, so that what others wrote in /etc/environment stays and nothing is ever written twice.
block() {
  [ -n "$KUBELOOM_PROXY" ] || return 0
  echo "# BEGIN kubeloom proxy"
  for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do echo "$name=\"$KUBELOOM_PROXY\""; done
  for name in no_proxy NO_PROXY; do echo "$name=\"$KUBELOOM_NO_PROXY\""; done
  echo "# END kubeloom proxy"
}
touch /etc/environment
touched=0
if [ -n "$KUBELOOM_PROXY" ] || grep -qx '# BEGIN kubeloom proxy' /etc/environment; then
  put /etc/environment 644 <<<"$(sed '/^# BEGIN kubeloom proxy$/,/^# END kubeloom proxy$/d' /etc/environment; block)"
  touched=$rewritten
fi

apt=/etc/apt/apt.conf.d/95-kubeloom-proxy
services=(kubelet containerd docker)
if [ -n "$KUBELOOM_PROXY" ]; then
  put $apt 644 <<<"$(printf 'Acquire::%s::Proxy "%s";\n' http "$KUBELOOM_PROXY" https "$KUBELOOM_PROXY")"
  export http_proxy="$KUBELOOM_PROXY" https_proxy="$KUBELOOM_PROXY" no_proxy="$KUBELOOM_NO_PROXY"
else
  drop $apt
fi
for service in "${services[@]}"; do
  # Not http-proxy.conf: that name is KubeOne's.
  file=/etc/systemd/system/$service.service.d/kubeloom-proxy.conf
  if [ -n "$KUBELOOM_PROXY" ]; then
    put "$file" 644 <<<$'[Service]\nEnvironmentFile=-/etc/environment'
    touched=$((touched + rewritten))
  elif [ -e "$file" ]; then
    drop "$file"
    rmdir --ignore-fail-on-non-empty "$(dirname "$file")"
    touched=1
  fi
done
if [ "$touched" != 0 ]; then
  systemctl daemon-reload
  for service in "${services[@]}"; do
    systemctl is-active --quiet "$service" || continue
    systemctl restart "$service"
    changed "restarted $service for the proxy"
  done
fi
