# Stops sending new connections to a target of this load balancer and lets the others end, or sends it some again. After common.sh.
# KUBELOOM_SERVERS: names in haproxy, `role-<role>/<node>`. KUBELOOM_STATE: drain or ready.
limit=30
# Its socket is one of the file system, which bash cannot open; perl is on every Debian.
socket=/run/haproxy/admin.sock
haproxy_says() {
  perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new($ARGV[0]) or die "haproxy does not answer: $!\n"; print $s "$ARGV[1]\n"; print while <$s>' "$socket" "$1"
}
# Connections to this target.
connections() { haproxy_says 'show stat' | awk -F, -v role="${1%%/*}" -v node="${1##*/}" '$1 == role && $2 == node { print $5 }'; }

read -ra servers <<<"$KUBELOOM_SERVERS"
for server in "${servers[@]}"; do
  answer=$(haproxy_says "set server $server state $KUBELOOM_STATE")
  [ -z "${answer//[[:space:]]/}" ] || die "haproxy does not set $server to $KUBELOOM_STATE: $answer"
  unit=kubeloom-ready-$(tr -c 'A-Za-z0-9\n' - <<<"$server")
  systemctl stop --quiet "$unit.timer" 2>/dev/null || true
  # If the run is interrupted, the target does not stay without traffic.
  # shellcheck disable=SC2016 # perl
  [ "$KUBELOOM_STATE" = ready ] || systemd-run --quiet --collect --on-active=1800 --unit="$unit" \
    perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new($ARGV[0]); print $s "$ARGV[1]\n"; print while <$s>' "$socket" "set server $server state ready"
done
changed "haproxy has ${#servers[@]} targets as $KUBELOOM_STATE"
if [ "$KUBELOOM_STATE" = drain ]; then
  for server in "${servers[@]}"; do
    until [ "$(connections "$server")" = 0 ] || [ $SECONDS -ge $limit ]; do sleep 0.2; done
    [ "$(connections "$server")" = 0 ] || note "$server still has connections after $limit s"
  done
else
  # Where haproxy found it down meanwhile, its checks have to succeed first.
  for server in "${servers[@]}"; do
    until haproxy_says 'show stat' | awk -F, -v role="${server%%/*}" -v node="${server##*/}" '$1 == role && $2 == node { up = $18 ~ /^UP/ } END { exit !up }'; do
      [ $SECONDS -lt $limit ] || { note "haproxy does not have $server as up after $limit s"; break; }
      sleep 0.2
    done
  done
fi
