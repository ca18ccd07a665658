# The data disk of a Kubernetes node, or the bare directory without such a disk.
# KUBELOOM_DATA_DEVICE: glob that finds the disk, empty = none. Only a disk without any signature is ever formatted.
place=${KUBELOOM_DATA_PLACE:-/opt/kubeloom/data}
fstab=${KUBELOOM_FSTAB:-/etc/fstab}
# XFS takes 12 characters.
label=kubeloomdata

# Whole disks that the glob finds, each once: several links may lead to one.
found_disks() {
  local link
  for link in $KUBELOOM_DATA_DEVICE; do
    if [ -b "$link" ] && [ "$(lsblk -dno TYPE "$link")" != part ]; then readlink -f "$link"; fi
  done | sort -u
}
if [ ! -d "$place" ]; then mkdir -p "$place"; changed "made $place"; fi

if [ -n "$KUBELOOM_DATA_DEVICE" ]; then
  packages xfsprogs
  # A cloud calls a disk attached before the machine sees it.
  for _ in $(seq 1 "${KUBELOOM_DATA_WAIT:-60}"); do
    disk=$(found_disks)
    [ -z "$disk" ] || break
    sleep 1
  done
  [ -n "$disk" ] || die "the data disk $KUBELOOM_DATA_DEVICE is not there after ${KUBELOOM_DATA_WAIT:-60} s"
  [ "$(wc -l <<<"$disk")" = 1 ] || die "$KUBELOOM_DATA_DEVICE finds more than one disk, none is touched: $(tr '\n' ' ' <<<"$disk")"

  # Everything that any tool would take for contents, partitions included.
  signatures=$(wipefs --no-act --noheadings --output TYPE,LABEL "$disk")
  read -r kind own <<<"$signatures" || true
  if [ -z "$signatures" ]; then
    mkfs.xfs -q -L $label "$disk"
    changed "formatted $disk"
  elif [ "$kind" != xfs ] || [ "$own" != $label ] || [ "$(wc -l <<<"$signatures")" != 1 ]; then
    die "$disk holds something that is not Kubeloom's ($(tr -s ' \n' ' ' <<<"$signatures")), so it is not touched; empty it with wipefs, or take it away"
  fi

  uuid=$(blkid -p -s UUID -o value "$disk")
  # Without it the machine starts all the same; by UUID, since names of disks change places.
  put "$fstab" 644 <<<"$(awk -v place="$place" '$2 != place' "$fstab"; echo "UUID=$uuid $place xfs defaults,nofail 0 0")"
  [ $rewritten = 0 ] || systemctl daemon-reload
  mounted=$(findmnt -nro SOURCE --mountpoint "$place" || true)
  if [ -z "$mounted" ]; then
    [ -z "$(ls -A "$place")" ] || note "what $place had without its disk is hidden below it"
    # Not by fstab: udev may not know the new UUID yet.
    mount -t xfs "$disk" "$place"
    changed "mounted $disk at $place"
  elif [ "$(readlink -f "$mounted")" != "$disk" ]; then
    die "$place is mounted from $mounted, not from $disk; it is left as it is"
  fi
fi
