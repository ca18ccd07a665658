# The file system of a data disk that its cloud made larger. It continues from data-disk.sh, which found and mounted the disk.
# KUBELOOM_DATA_GB: what the disk has now. Clouds that make disks larger count 1024³ bytes: with less, a disk of the old size would do.
size=${KUBELOOM_DATA_GB:-0}
larger() { [ "$(blockdev --getsize64 "$disk")" -ge $((size * 1073741824)) ]; }
# A cloud calls a disk larger before the machine sees it.
for _ in $(seq 1 "${KUBELOOM_DATA_WAIT:-60}"); do
  if larger; then break; fi
  sleep 1
done
larger || die "the machine does not see that $disk has $size GB now"
before=$(stat -f -c %b "$place")
xfs_growfs -d "$place" >/dev/null
[ "$(stat -f -c %b "$place")" -eq "$before" ] || changed "grew the file system of $disk"
