#!/usr/bin/env bash
# The ssh of Ansible, which keeps all that a machine prints: beyond a limit it ends, with a sentence, before that fills the memory of the runner.
# KUBELOOM_SSH: the program · KUBELOOM_SSH_BYTES: the limit of each of its two streams
# It ends with the process of Ansible that started it, and its ssh with it.
guard=()
! command -v setpriv >/dev/null || guard=(setpriv --pdeathsig TERM)
[ -n "${KUBELOOM_SSH_GUARDED:-}" ] || KUBELOOM_SSH_GUARDED=1 exec "${guard[@]}" "$BASH" "$0" "$@"
limit=${KUBELOOM_SSH_BYTES:-8000000}
loud=0
trap 'loud=1; kill "$ssh"' USR1
pass() {
  head -c "$limit"
  [ -z "$(head -c 1 | tr '\0' x)" ] || kill -USR1 $$
}
exec 5> >(pass)
out=$!
exec 6> >(pass >&2)
err=$!
"${guard[@]}" "${KUBELOOM_SSH:-ssh}" "$@" <&0 >&5 2>&6 5>&- 6>&- &
ssh=$!
exec 5>&- 6>&-
wait "$ssh"
status=$?
wait "$out" "$err"
if [ "$loud" = 1 ]; then
  echo "it printed more than $limit bytes; the rest was not read" >&2
  exit 1
fi
exit "$status"
