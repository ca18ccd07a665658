/** What a cloud runs on a new machine at its first boot: a POSIX shell script, the same for all nodes of a pool. */

export interface FirstBoot {
  readonly clusterId: string;
  /** SSH key of the pool: one line as in `authorized_keys`. */
  readonly publicKey: string;
}

/** Modules put the node's name in its place: `replace(var.first_boot, "@node@", each.key)`. */
export const nodePlaceholder = '@node@';

/**
 * Renders it. It may run before, while or after cloud-init works, any number of times, on images of any cloud, and continues
 * if something is missing: root must be able to log in, whatever else fails.
 *
 * - Images of AWS, Azure, GCP and OCI put a forced command before root's key, or refuse root: the file is rewritten,
 *   sshd gets a file that sorts before cloud-init's (the first value counts), and cloud-init is configured not to do it again.
 * - Images of OCI reject all but SSH: rules that reject everything are taken out, now and in the saved rules.
 * - Ubuntu starts sshd by its socket: a reload of its settings is enough, and nothing is opened on another port.
 */
export function renderFirstBoot({ clusterId, publicKey }: FirstBoot): string {
  return script.replaceAll('@cluster@', () => clusterId).replaceAll('@key@', () => publicKey);
}

const script = `#!/bin/sh
# Written by Kubeloom. Lets root log in with the key of the node pool and gives the machine its name.
umask 022
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
root="\${KUBELOOM_ROOT:-}"

# put FILE MODE < content: writes it when it differs; the exit code shows whether it did.
put() {
  mkdir -p "$(dirname "$1")"
  fresh=$(mktemp "$1.XXXXXX") || return 1
  cat >"$fresh"
  chmod "$2" "$fresh"
  if cmp -s "$fresh" "$1"; then
    rm -f "$fresh"
    return 1
  fi
  mv -f "$fresh" "$1"
}

# Only the owner of the pool's key can log in, without a forced command before it.
mkdir -p "$root/root/.ssh"
chmod 700 "$root/root/.ssh"
put "$root/root/.ssh/authorized_keys" 600 <<'END'
@key@
END
if [ -d "$root/etc/cloud" ]; then
  put "$root/etc/cloud/cloud.cfg.d/99-kubeloom.cfg" 644 <<'END'
disable_root: false
preserve_hostname: true
END
fi

# Clouds that know no key make a password that has to be changed first, which keeps keys out as well.
if [ -z "$root" ] && grep -q '^root:[^:]*:0:' /etc/shadow; then chage -d "$(date +%F)" root; fi

config="$root/etc/ssh/sshd_config"
again=no
put "$root/etc/ssh/sshd_config.d/00-kubeloom.conf" 644 <<'END' && again=yes
PermitRootLogin prohibit-password
PubkeyAuthentication yes
END
# Older images read no further files: then the lines go to the top, where the first value counts.
if [ -f "$config" ] && ! grep -Eiq '^[[:space:]]*Include[[:space:]]+[^#]*sshd_config\\.d/' "$config" &&
  ! grep -q '^# kubeloom$' "$config"; then
  { printf '# kubeloom\\nPermitRootLogin prohibit-password\\nPubkeyAuthentication yes\\n' && cat "$config"; } |
    put "$config" 644 && again=yes
fi
# reload-or-try-restart leaves open connections alone, and starts nothing that does not run yet.
if [ "$again" = yes ] && [ -z "$root" ] && command -v systemctl >/dev/null; then
  for unit in ssh.service sshd.service; do
    systemctl reload-or-try-restart "$unit" 2>/dev/null
  done
fi

# The module says the name; else the cloud's name of the machine is <cluster>-<node>.
name='@node@'
case $name in
  @*)
    name=$(hostname 2>/dev/null || uname -n)
    name=\${name%%.*}
    case $name in
      '@cluster@'-*) name=\${name#'@cluster@'-} ;;
      *) name= ;;
    esac
    ;;
esac
if [ -n "$name" ]; then
  printf '%s\\n' "$name" | put "$root/etc/hostname" 644
  [ -n "$root" ] || hostname "$name" 2>/dev/null || echo "$name" >/proc/sys/kernel/hostname
  hosts="$root/etc/hosts"
  if ! grep -Eq "[[:space:]]$name([[:space:]]|\\$)" "$hosts" 2>/dev/null; then
    { cat "$hosts" 2>/dev/null; printf '127.0.1.1 %s\\n' "$name"; } | put "$hosts" 644
  fi
fi

# Images of OCI reject whatever is not SSH; who may come in is the cloud's firewall's business. Rules of others stay.
if [ -z "$root" ] && command -v iptables >/dev/null; then
  for chain in INPUT FORWARD; do
    while iptables -w 10 -D "$chain" -j REJECT --reject-with icmp-host-prohibited 2>/dev/null; do :; done
  done
fi
for saved in "$root/etc/iptables/rules.v4" "$root/etc/sysconfig/iptables"; do
  [ -f "$saved" ] || continue
  grep -Ev '^-A (INPUT|FORWARD) -j REJECT --reject-with icmp-host-prohibited$' "$saved" | put "$saved" 600
done
exit 0
`;
