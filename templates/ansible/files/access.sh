# Lets a key in as root until a time; sshd itself refuses it from then on. KUBELOOM_ACCESS_KEY: type and key, without comment ·
# KUBELOOM_ACCESS_UNTIL: seconds since 1970. Lines of ours that have ended go, and an earlier one of the same key.
keys=/root/.ssh/authorized_keys
# In the time zone of the machine: sshd of Ubuntu 22.04 knows no other.
now=$(date +%Y%m%d%H%M%S)
until=$(date -d "@$KUBELOOM_ACCESS_UNTIL" +%Y%m%d%H%M%S)
touch $keys
put $keys 600 < <(
  while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line =~ ^expiry-time=\"([0-9]{14})\"\ (.*)\ kubeloom-access$ ]]; then
      if [[ ${BASH_REMATCH[1]} < $now ]] || [ "${BASH_REMATCH[2]}" = "$KUBELOOM_ACCESS_KEY" ]; then continue; fi
    fi
    printf '%s\n' "$line"
  done <$keys
  printf 'expiry-time="%s" %s kubeloom-access\n' "$until" "$KUBELOOM_ACCESS_KEY"
)
