# Sets or clears the installation proxy. Variables: as for proxy-state.sh ·
# KUBELOOM_PROXY_SERVICES: `keep` = services that run learn other hosts of NO_PROXY with their next start.
reload=0
touch /etc/environment
former=$(sed -nE "$block s/^http_proxy=\"(.*)\"\$/\1/p; s/^http_proxy=\"(.*)\"#kubeone\$/\1/p" /etc/environment | head -n 1)

if [ -n "$KUBELOOM_PROXY" ]; then
  put $apt/95-kubeloom-proxy 644 < <(apt_settings)
  put $file 644 < <(variables)
  export http_proxy="$KUBELOOM_PROXY" https_proxy="$KUBELOOM_PROXY" no_proxy="$KUBELOOM_NO_PROXY"
else
  drop $apt/95-kubeloom-proxy $file
  # A user may have a file of this name, too: only what KubeOne wrote is removed.
  grep -qsvxF "$(printf '\nAcquire::%s::Proxy "%s";' http "$former" https "$former")" $apt/proxy.conf || drop $apt/proxy.conf
  # KubeOne's scripts read it: empty, not removed.
  [ ! -s /etc/kubeone/proxy-env ] || put /etc/kubeone/proxy-env 644 </dev/null
fi
for service in "${services[@]}"; do
  directory=/etc/systemd/system/$service.service.d
  if [ -n "$KUBELOOM_PROXY" ]; then
    put "$directory/kubeloom-proxy.conf" 644 < <(unit_settings)
    reload=$((reload + rewritten))
  elif [ -d "$directory" ]; then
    drop "$directory/kubeloom-proxy.conf"
    ! cmp -s "$directory/http-proxy.conf" - <<<$'[Service]\nEnvironmentFile=/etc/environment' || drop "$directory/http-proxy.conf"
    rmdir --ignore-fail-on-non-empty "$directory"
    reload=1
  fi
done
[ $reload = 0 ] || systemctl daemon-reload

# outdated SERVICE: it runs with other settings. Without a proxy: with the former one; a user may have given it another.
outdated() {
  local process has
  systemctl is-active --quiet "$1" || return
  process=$(systemctl show --property MainPID --value "$1")
  has=$(tr '\0' '\n' <"/proc/$process/environ" | grep -iE '^(https?|no)_proxy=' | sort || true)
  if [ -n "$KUBELOOM_PROXY" ]; then [ "$has" != "$(variables | tr -d '"' | sort)" ]; else [ -n "$former" ] && [[ $has == *"=$former"* ]]; fi
}
for service in "${services[@]}"; do
  if [ "${KUBELOOM_PROXY_SERVICES:-}" = keep ] || ! outdated "$service"; then continue; fi
  systemctl restart "$service"
  changed "restarted $service for the proxy"
done

# Last: until then it says what the former proxy was. A marked block, so that what others wrote stays; KubeOne's lines say the same, or less.
if [ -n "$KUBELOOM_PROXY" ] || grep -qE '^# BEGIN kubeloom proxy$|#kubeone$' /etc/environment; then
  put /etc/environment 644 < <(
    sed "$block d; /#kubeone\$/d; \$a\\" /etc/environment
    environment_block
  )
fi
