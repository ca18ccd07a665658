# The boot script of a machine group: the user's own, as root, with the time that it may take. It is kept on the machine, so that a person finds what ran.
# KUBELOOM_BOOT: the script, base64. KUBELOOM_GROUP: name of the group, which the script finds under the same name.
file=${KUBELOOM_BOOT_FILE:-/var/lib/kubeloom/boot.sh}
# It may hold what others on the machine must not read.
put "$file" 700 < <(base64 -d <<<"$KUBELOOM_BOOT")
started=$SECONDS
status=0
output=$(KUBELOOM_GROUP=$KUBELOOM_GROUP timeout -k 10 "${KUBELOOM_BOOT_SECONDS:-900}" "$file" 2>&1 </dev/null) || status=$?
[ -z "$output" ] || printf '%s\n' "$output" | tail -n 100 | sed 's/^/| /' >&2
case $status in
  0) changed "ran the boot script in $((SECONDS - started)) s" ;;
  124 | 137) die "the boot script was stopped after ${KUBELOOM_BOOT_SECONDS:-900} s; start what runs longer as a service" ;;
  *) die "the boot script ended with $status: $(printf '%s\n' "$output" | tail -n 3 | tr '\n' ' ')" ;;
esac
