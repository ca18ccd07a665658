# The health checks of a group, all at once: which fail, and why. It changes nothing. After common.sh and health-asks.sh.
# KUBELOOM_CHECKS: a line for each, as `functions/rendering/health-lines.ts` writes it. KUBELOOM_ADDRESS: of this machine, in the mesh.
# KUBELOOM_HEALTHY_WITHIN: 0, or the seconds that all of them have to succeed in.
plain() { [ "$1" = - ] || base64 -d <<<"$1"; }
# The output of a program, shortened to fit into a sentence.
# shellcheck disable=SC1003
words() { printf '%s' "$1" | tr -c '[:print:]' ' ' | tr '"\\' "''" | cut -c 1-200; }

judge() {
  local kind port tls expected limit pause bad_at good_at most name path body command why known good=0 bad=0 tries
  read -r kind port tls expected limit pause bad_at good_at most name path body command <<<"$1"
  name=$(plain "$name") path=$(plain "$path") body=$(plain "$body") command=$(plain "$command")
  for ((tries = 1; ; tries++)); do
    known=0
    why=$("ask_$kind") || known=$?
    case $known in
      0) good=$((good + 1)) bad=0 ;;
      1) bad=$((bad + 1)) good=0 ;;
      *) printf '{"ok":null,"why":"%s"}' "$(words "$name: $why")"; return 0 ;;
    esac
    if [ $good -ge "$good_at" ]; then printf '{"ok":true}'; return 0; fi
    if [ $bad -ge "$bad_at" ]; then break; fi
    if [ $tries -ge "$most" ]; then why="its answers change from try to try${why:+; the last: $why}"; break; fi
    sleep "$pause"
  done
  printf '{"ok":false,"why":"%s"}' "$(words "$name: $why")"
}

judge_all() {
  local place line at=0
  place=$(mktemp -d)
  while read -r line; do
    judge "$line" >"$place/$at" &
    at=$((at + 1))
  done <<<"$KUBELOOM_CHECKS"
  wait
  for ((line = 0; line < at; line++)); do [ $line = 0 ] || echo -n ,; cat "$place/$line"; done
  rm -rf "$place"
}

answers=$(judge_all)
if [ "${KUBELOOM_HEALTHY_WITHIN:-0}" -gt 0 ]; then
  until [[ $answers != *'"ok":false'* ]]; do
    why=${answers##*'"why":"'}
    [ $SECONDS -lt "$KUBELOOM_HEALTHY_WITHIN" ] || die "the machine did not become healthy within $KUBELOOM_HEALTHY_WITHIN s: ${why%%'"'*}"
    answers=$(judge_all)
  done
fi
fact health "[$answers]"
made=$(stat -c %Y /etc/wireguard/private.key /var/lib/kubeloom/{set-up,boot.sh} 2>/dev/null | sort -n | tail -n 1) || true
[ -z "$made" ] || fact setUpAt "\"$(date -u -d "@$made" +%FT%T.000Z)\""
