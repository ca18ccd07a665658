/** What a node gets before WireGuard and Kubernetes, on a real host that refuses some of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoot } from './host-workshop.ts';
import { NodesFleet, type PlaybookRun } from './nodes-fleet.ts';

const fleet = new NodesFleet([{ name: 'control', kind: 'control', provider: 'north' }]);
const settings = '/etc/sysctl.d/zz-kubeloom.conf';
let first: PlaybookRun;

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
});
