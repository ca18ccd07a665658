/** What a node gets before WireGuard and Kubernetes, on a real host that refuses some of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoot } from './host-workshop.ts';
import { NodesFleet, type PlaybookRun } from './nodes-fleet.ts';

const fleet = new NodesFleet([{ name: 'control', kind: 'control', provider: 'north' }]);
const settings = '/etc/sysctl.d/zz-kubeloom.conf';
let first: PlaybookRun;

/** The package is missing, and the only one in the only archive. */
const archiveOf = (name: string) => `set -e
mkdir -p /opt/archive/tree/DEBIAN && cd /opt/archive
printf '%s\\n' 'Package: ${name}' 'Version: 99' 'Architecture: all' 'Maintainer: a test' 'Description: a test' >tree/DEBIAN/control
dpkg-deb --build tree package.deb >/dev/null
{ cat tree/DEBIAN/control; printf '%s\\n' 'Filename: ./package.deb' "Size: $(stat -c %s package.deb)" "SHA256: $(sha256sum package.deb | cut -c1-64)"; } >Packages
printf '%s\\n' "Date: $(LC_ALL=C date -Ru)" 'SHA256:' " $(sha256sum Packages | cut -c1-64) $(stat -c %s Packages) Packages" >Release
rm -f /etc/apt/sources.list.d/*
echo 'deb [trusted=yes] file:/opt/archive ./' >/etc/apt/sources.list
dpkg --purge --force-depends ${name} >/dev/null 2>&1`;

/** Holds the lock of apt's lists until apt was refused. */
const holder = `set -e
printf '%s\\n' '#!/bin/bash' '/usr/bin/apt-get "$@" || { touch /run/refused; exit 100; }' >/usr/local/bin/apt-get
chmod 755 /usr/local/bin/apt-get
mkdir -p /var/lib/apt/lists
systemd-run --quiet --unit=holder python3 -c 'import fcntl, os, time
lock = open("/var/lib/apt/lists/lock", "w"); fcntl.lockf(lock, fcntl.LOCK_EX); open("/run/held", "w")
while not os.path.exists("/run/refused"): time.sleep(0.1)'
while [ ! -e /run/held ]; do sleep 0.1; done`;

describe.runIf(isRoot)('a control node', () => {
  beforeAll(async () => {
    await fleet.start();
    // As in many containers: the host sees settings of the whole machine, and may not change them.
    await fleet.ssh('control', 'mount --bind /proc/sys/fs /proc/sys/fs && mount -o remount,bind,ro /proc/sys/fs');
    first = await fleet.play('configure', { install: ['control'] });
    expect(first).toMatchObject({ code: 0, troubles: [] });
  });
  afterAll(() => fleet.stop());

  test('a node keeps settings that its kernel refuses out of the file, so that reading the file never fails', async () => {
    expect(await fleet.ssh('control', `sysctl -p ${settings} 2>&1 | grep -vc ^net || true`)).toBe('0');
    expect(await fleet.ssh('control', `grep -c ^net ${settings}`)).toBe('4');
    expect(first.stdout).toContain('this machine refuses fs.file-max');
  });

  test('a node that refuses settings is not changed by a second run', async () => {
    expect((await fleet.play('configure', { install: ['control'] })).changed).toEqual({});
  });

  test('a control node has the limits of open files in sessions and in services, as far as the machine grants them', async () => {
    const hard = await fleet.ssh('control', 'ulimit -Hn');
    const granted = String(Math.min(65535, Number(hard)));
    expect(await fleet.ssh('control', 'ulimit -Sn')).toBe(granted);
    expect(await fleet.ssh('control', `systemd-run -qP --wait bash -c 'ulimit -Sn'`)).toBe(granted);
  });

  test.each(['2379 2380', '6443 6443', '10250 10259', '51820 51820'])(
    'a control node gives no outgoing connection a port of %s',
    async (range) => {
      const answer = await fleet.ssh(
        'control',
        `before=$(sysctl -n net.ipv4.ip_local_port_range); sysctl -qw net.ipv4.ip_local_port_range='${range}'
         (exec 3<>/dev/tcp/127.0.0.1/22) 2>&1 | head -n 1; sysctl -qw net.ipv4.ip_local_port_range="$before"`,
      );
      expect(answer).toContain('Cannot assign requested address');
    },
  );

  test('a node whose lists of packages another program reads is waited for', async () => {
    await fleet.ssh('control', archiveOf('iputils-ping'));
    await fleet.ssh('control', holder);
    const run = await fleet.play('configure', { install: ['control'] });
    expect(run).toMatchObject({ code: 0, troubles: [] });
    expect(run.stdout).toContain('another program holds a lock of apt');
    expect(run.changed.control).toContain('installed iputils-ping');
  });
});
