/** The first boot script on a real host that was made as unfriendly as images of clouds are, and the wait for its end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodePlaceholder, renderFirstBoot } from '#rendering/first-boot.ts';
import { waitForRoot } from '#runner/ansible/root-login.ts';
import { runCommand } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import type { StageEvent } from '#runner/stage-context.ts';
import { StageLog } from '#runner/stage-log.ts';
import { Stopwatch } from '#runner/stopwatch.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { isRoot } from './host-workshop.ts';
import { NodesFleet } from './nodes-fleet.ts';

const fleet = new NodesFleet([{ name: 'fresh', kind: 'compute', provider: 'north' }]);
const reported: StageEvent[] = [];

async function wait(): Promise<void> {
  const { artifacts, clock } = fakeDeps();
  const log = new StageLog({ artifacts, key: 'log', mask: new SecretMask(), clock });
  const { signal } = new AbortController();
  const around = { signal, log, stopwatch: new Stopwatch(() => performance.now()), graceMs: 1000 };
  const target = { name: 'fresh', host: fleet.address('fresh'), port: 22, keyFile: fleet.keyFile };
  await waitForRoot(
    {
      run: (command) => runCommand(command, around),
      emit: (event) => void reported.push(event),
      signal,
      runner: runnerConfig(process.env),
      workDirectory: fleet.directory,
    },
    [target],
    { totalMs: 60_000, pauseMs: 500 },
  );
}

describe.runIf(isRoot)('first boot of an image that refuses root', () => {
  const script = renderFirstBoot({ clusterId: 'shop-abc1234', publicKey: fleet.workshop.publicKey }).replaceAll(
    nodePlaceholder,
    'workers-bbbbbbb-01',
  );
  const encoded = Buffer.from(script).toString('base64');

  beforeAll(async () => {
    await fleet.start();
    await fleet.ssh(
      'fresh',
      [
        `echo ${encoded} | base64 -d >/root/first-boot.sh`,
        // As on AWS: a forced command before the key; as on GCP: root refused by a file that is read early.
        `sed -i 's/^/command="echo Please login as the user ubuntu; exit 142" /' /root/.ssh/authorized_keys`,
        `echo 'PermitRootLogin no' >/etc/ssh/sshd_config.d/10-image.conf`,
        'systemctl restart ssh',
        'hostname ip-10-0-0-7',
        // Cloud-init runs such scripts last.
        'systemd-run --quiet --on-active=3 sh /root/first-boot.sh',
      ].join(' && '),
    );
  });
  afterAll(() => fleet.stop());

  test('the machine lets root in once the script has run, and the runner waits for it', async () => {
    await wait();
    expect(reported).toMatchObject([
      { kind: 'FirstBootAwaited', message: expect.stringContaining('Permission denied') },
    ]);
    expect(await fleet.ssh('fresh', 'sshd -T | grep -i permitrootlogin')).toMatch(/without-password|prohibit-password/);
  });

  test('the machine has the name of its node and resolves it', async () => {
    expect(await fleet.ssh('fresh', 'hostname; cat /etc/hostname; getent hosts workers-bbbbbbb-01 | wc -l')).toBe(
      'workers-bbbbbbb-01\nworkers-bbbbbbb-01\n1',
    );
  });

  test('a second run of the script changes nothing and keeps open connections', async () => {
    const files = '/root/.ssh/authorized_keys /etc/hosts /etc/hostname /etc/ssh/sshd_config.d/00-kubeloom.conf';
    const before = await fleet.ssh('fresh', `stat -c '%n %i %Y' ${files}; sha256sum ${files}`);
    expect(await fleet.ssh('fresh', 'sh /root/first-boot.sh && echo still here')).toBe('still here');
    expect(await fleet.ssh('fresh', `stat -c '%n %i %Y' ${files}; sha256sum ${files}`)).toBe(before);
  });
});
