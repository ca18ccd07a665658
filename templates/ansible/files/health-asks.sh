# How health.sh asks: each says why it fails; 0 is healthy, 2 is not known. KUBELOOM_ADDRESS: of this machine, in the mesh.
# In $limit the seconds of a try; in $port, $tls, $path, $expected, $body and $command what is asked.
# shellcheck disable=SC2154
ask_tcp() {
  timeout "$limit" bash -c "exec 3<>/dev/tcp/$KUBELOOM_ADDRESS/$port" 2>/dev/null || { echo "no connection within $limit s"; return 1; }
}
ask_http() {
  local request answer got status=0 over=(bash -c "exec 3<>/dev/tcp/$KUBELOOM_ADDRESS/$port && cat >&3 && head -c 65536 <&3")
  printf -v request 'GET %s HTTP/1.0\r\nHost: %s\r\nUser-Agent: kubeloom\r\nConnection: close\r\n\r\n' "$path" "$KUBELOOM_ADDRESS"
  if [ "$tls" = 1 ]; then
    command -v openssl >/dev/null || { echo "the machine has no openssl"; return 2; }
    over=(openssl s_client -quiet -verify_quiet -connect "$KUBELOOM_ADDRESS:$port")
  fi
  answer=$(printf '%s' "$request" | timeout "$limit" "${over[@]}" 2>/dev/null | head -c 65536 | tr -d '\0') || status=$?
  [[ $answer == HTTP/* ]] || { echo "no answer within $limit s"; return 1; }
  read -r _ got _ <<<"${answer/$'\r'/ }"
  [ "$got" = "$expected" ] || { echo "answered $got, expected $expected"; return 1; }
  [ "$status" != 124 ] || { echo "the answer has no end within $limit s"; return 1; }
  [[ ${answer#*$'\r\n\r\n'} == *"$body"* ]] || { echo "the answer lacks the expected text"; return 1; }
}
# Its output is not kept: it may hold secrets, and what the command leaves behind could hold it open.
ask_exec() {
  local status=0 group
  timeout -k 2 "$limit" bash -c "$command" >/dev/null 2>&1 </dev/null &
  group=$!
  wait "$group" || status=$?
  # `timeout` leads a process group: what the command started and left behind ends with it.
  kill -KILL -- "-$group" 2>/dev/null || true
  case $status in
    0) return 0 ;;
    124 | 137) echo "took longer than $limit s" ;;
    *) echo "ended with $status" ;;
  esac
  return 1
}
