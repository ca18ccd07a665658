/** Data disks on a real host: a file as block device, real XFS, real mounts. */
import { execFileSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoot } from './host-workshop.ts';
import { NodesFleet } from './nodes-fleet.ts';

const fleet = new NodesFleet([{ name: 'worker', kind: 'compute', provider: 'north' }]);
const place = '/opt/kubeloom/data';
const glob = '/dev/disk/by-id/*vol42*';

/** Block devices of this machine, made of files. */
const devices: string[] = [];
function attach(name: string): string {
  const file = join(fleet.directory, name);
  writeFileSync(file, '');
  truncateSync(file, 400 * 1024 * 1024);
  const device = execFileSync('losetup', ['--find', '--show', file], { encoding: 'utf8' }).trim();
  devices.push(device);
  return device;
}

/** Shows the device to the host as a cloud would: under links that hold the volume's id. */
async function plugIn(device: string, ...links: readonly string[]): Promise<void> {
  const number = device.replace('/dev/loop', '');
  await fleet.ssh(
    'worker',
    [
      `mkdir -p /dev/disk/by-id && rm -f /dev/disk/by-id/*`,
      `{ [ -b ${device} ] || mknod ${device} b 7 ${number}; }`,
      ...links.map((link) => `ln -sf ${device} /dev/disk/by-id/${link}`),
    ].join(' && '),
  );
}
const configure = () =>
  fleet.play('configure', { install: ['worker'], variables: { worker: { kubeloom_data_device: glob } } });
const mounted = () => fleet.ssh('worker', `findmnt -no SOURCE,FSTYPE ${place} || true`);

describe.runIf(isRoot)('the data disk of a node', () => {
  let disk: string;

  beforeAll(async () => {
    await fleet.start();
    disk = attach('disk');
    await plugIn(disk, 'nvme-vol42', 'nvme-vol42_1');
  });
  afterAll(async () => {
    await fleet.stop();
    for (const device of devices) execFileSync('losetup', ['--detach', device]);
    rmSync(fleet.directory, { recursive: true, force: true });
  });

  test('a node has a directory as long as it has no disk', async () => {
    const { changed, code } = await fleet.play('configure', { install: ['worker'] });
    expect(code).toBe(0);
    expect(changed.worker).toContain(`made ${place}`);
    expect(await mounted()).toBe('');
  });

  test('an empty disk gets XFS and is mounted at its directory', async () => {
    const { changed, troubles } = await configure();
    expect(troubles).toEqual([]);
    expect(changed.worker).toEqual([`formatted ${disk}`, 'wrote /etc/fstab', `mounted ${disk} at ${place}`]);
    expect(await mounted()).toMatch(new RegExp(`^${disk} +xfs$`));
    expect(await fleet.ssh('worker', `grep ${place} /etc/fstab`)).toMatch(
      /^UUID=[-0-9a-f]{36} \S+ xfs defaults,nofail 0 0$/,
    );
  });

  test('a mounted disk is not changed by later runs', async () => {
    await fleet.ssh('worker', `echo precious >${place}/file`);
    expect((await configure()).changed).toEqual({});
  });

  test('a disk that was made larger is awaited and taken whole, and keeps its files', async () => {
    const size = async () => Number(await fleet.ssh('worker', `df --output=size -m ${place} | tail -n 1`));
    const before = await size();
    const grow = () => {
      const variables = { worker: { kubeloom_data_device: glob, kubeloom_data_size: 2 } };
      return fleet.play('configure', { disks: ['worker'], variables });
    };
    const growing = grow();
    // A cloud calls it larger before the machine sees it.
    await fleet.ssh('worker', 'timeout 60 bash -c "until pgrep -fx \'sleep 1\'; do sleep 0.1; done"');
    truncateSync(join(fleet.directory, 'disk'), 2 * 1024 ** 3);
    execFileSync('losetup', ['--set-capacity', disk]);
    const { changed, troubles } = await growing;
    expect(troubles).toEqual([]);
    expect(changed.worker).toEqual([`grew the file system of ${disk}`]);
    expect(await size()).toBeGreaterThan(before + 1500);
    expect(await fleet.ssh('worker', `cat ${place}/file`)).toBe('precious');
    expect((await grow()).changed).toEqual({});
  });

  test('a disk is found by its entry in /etc/fstab', async () => {
    expect(await fleet.ssh('worker', `umount ${place} && mount ${place} && cat ${place}/file`)).toBe('precious');
  });

  test('a disk keeps its files over a power cut', async () => {
    await fleet.power('kill', 'worker');
    await fleet.power('start', 'worker');
    // Devices of a host that starts are bare; a machine's own udev would have made them.
    await plugIn(disk, 'nvme-vol42');
    const again = await configure();
    expect(again.troubles).toEqual([]);
    expect(again.changed.worker ?? []).not.toContain(`formatted ${disk}`);
    expect(await fleet.ssh('worker', `cat ${place}/file`)).toBe('precious');
  });

  test('a disk that holds something else is never touched', async () => {
    await fleet.ssh('worker', `umount ${place}`);
    const foreign = attach('foreign');
    execFileSync('mke2fs', ['-q', '-t', 'ext4', foreign]);
    await plugIn(foreign, 'nvme-vol42');
    const before = await fleet.ssh('worker', `sha256sum <${foreign}`);
    const { code, troubles } = await configure();
    expect(code).toBe(2);
    expect(troubles[0]?.message).toMatch(/holds something that is not Kubeloom's \(ext4\b.*not touched/);
    expect(await fleet.ssh('worker', `sha256sum <${foreign}`)).toBe(before);
  });

  test('no disk is used when the glob finds two', async () => {
    const other = attach('other');
    await plugIn(other, 'nvme-vol42-a');
    await fleet.ssh('worker', `ln -s ${disk} /dev/disk/by-id/nvme-vol42-b`);
    expect((await configure()).troubles[0]?.message).toContain('finds more than one disk, none is touched');
  });
});
