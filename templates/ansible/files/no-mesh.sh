# A machine of groups without a mesh: in place of a WireGuard key it has a file that says since when it is set up.
mark=/var/lib/kubeloom/set-up
if [ ! -e $mark ]; then
  mkdir -p "$(dirname $mark)"
  : >$mark
  changed "set up without a mesh"
fi
fact bootId "\"$(cat /proc/sys/kernel/random/boot_id)\""
