#!/usr/bin/env bash
# First process in the namespaces of fresh-machine.sh, which says everything in the environment: mounts, then the steps in the root.
# usage: fresh-machine-enter.sh NAME=VALUE…   the environment of the fresh machine
set -euo pipefail
hostname fresh-machine
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /sys "$ROOT/sys"
mount --rbind /dev "$ROOT/dev"
mount -t tmpfs tmpfs "$ROOT/run"
mkdir -p "$ROOT/root/.npm" "$ROOT/var/cache/kubeloom"
mount --bind "$CACHE/apt" "$ROOT/var/cache/apt/archives"
mount --bind "$CACHE/npm" "$ROOT/root/.npm"
mount --bind "$CACHE/hosts" "$ROOT/var/cache/kubeloom"
# The cgroups of hosts are made below one that the machine can find and remove.
for kind in $KINDS; do
  echo 0 >"/sys/fs/cgroup/$kind/kubeloom-fresh-machine/cgroup.procs"
  mount --bind "/sys/fs/cgroup/$kind/kubeloom-fresh-machine" "$ROOT/sys/fs/cgroup/$kind"
done
# Not only chroot: hosts change the propagation of mounts, which needs a root that is a mount, and nothing outside is to be seen.
cd "$ROOT"
pivot_root . mnt
exec unshare --cgroup chroot . /usr/bin/env -i "$@" bash -c 'umount --lazy /mnt && exec bash /root/kubeloom/scripts/fresh-machine-steps.sh'
