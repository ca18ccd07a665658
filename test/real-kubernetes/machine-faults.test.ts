/**
 * Real faults of machines under the real KubeOne: what our failure says of each, and what Kubeloom does next. KubeOne tries ten times, for nine
 * minutes: the faults are tried side by side, each on a cluster of its own. Not part of CI: a quarter of an hour. The wrong clock needs
 * Debian's package libfaketime, which it downloads: the kernel has one clock for all hosts of this machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ErrorClass } from '#domain/errors.ts';
import { assessStageFailure, assessWaypointFailure } from '#domain/failure-policy.ts';
import { builtKubeone } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { newest, patchBefore } from '#local/kubernetes/versions.ts';
import { withFullDisk } from '#runner/kubeone/full-disk.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { dynamicPool, twoProviderState } from '#test/rendering/states.ts';
import { NodesFleet } from '../hosts/nodes-fleet.ts';
import { outcome } from '../kubernetes/kubeone-contract.ts';
import { fleetManifest } from '../kubernetes/kubeone-fleet-manifest.ts';

const [kubeone] = kubeoneVersions;
const limits = {
  KUBELOOM_STAGE_RETRY_SECONDS: 30,
  KUBELOOM_MAX_STAGE_ATTEMPTS: 3,
  KUBELOOM_BACK_OFF_SECONDS: 60,
  KUBELOOM_MAX_BACK_OFFS: 5,
};

interface Fault {
  readonly name: string;
  readonly make: (node: string) => Promise<unknown>;
  readonly class: ErrorClass;
  /** A regular expression. */
  readonly code: string;
  /** In the message: the tool's own words. */
  readonly words: RegExp;
  /** What follows the first failure of the stage. */
  readonly next: 'retry' | 'failed';
  /** No machine is named. @default its own is */
  readonly ofAll?: true;
}

const quorum = ['control-1', 'control-2', 'control-3'] as const;
const fleet = new NodesFleet(
  ['port', 'lock', 'memory', 'disk', 'package', 'clock', ...quorum].map(
    (name) => ({ name, kind: 'control', provider: 'north' }) as const,
  ),
  'real',
);

/** From now on a program of this node holds what it says. */
const holds = (node: string, what: string, python: string) =>
  fleet.ssh(
    node,
    `systemd-run --quiet --unit=holder-${what} python3 -c '${python}; open("/run/holds-${what}", "w"); import time; time.sleep(7200)'
     until [ -e /run/holds-${what} ]; do sleep 0.1; done`,
  );

const faults: readonly Fault[] = [
  {
    name: 'port',
    make: (node) => holds(node, 'port', 'import socket; s = socket.create_server(("", 10250))'),
    class: 'conflict',
    code: 'AddressInUse',
    words: /10250.*in use/,
    next: 'retry',
  },
  {
    name: 'lock',
    make: (node) =>
      holds(node, 'lock', 'import fcntl; l = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(l, fcntl.LOCK_EX)'),
    class: 'conflict',
    code: 'PackageManagerBusy',
    words: /Could not get lock \/var\/lib\/dpkg\/lock-frontend/,
    next: 'retry',
  },
  {
    // Its kernel ends what takes memory, sshd as well, or a service does not get far enough in time: both are retried.
    name: 'memory',
    make: async (node) => leaveMemory((await fleet.workshop.host(node)).unit, 6 << 20),
    class: 'transient',
    code: 'HostUnreachable|ServiceFailed|OutOfMemory',
    words: /connection refused|containerd|[Kk]illed/,
    next: 'retry',
  },
  {
    // The packages' records are on a file system of their own, which is full.
    name: 'disk',
    make: (node) =>
      fleet.ssh(
        node,
        `cp -a /var/lib/dpkg /run/records
         mount -t tmpfs -o size=$(($(du -sk /run/records | cut -f1) + 40))k records /var/lib/dpkg
         cp -a /run/records/. /var/lib/dpkg/`,
      ),
    class: 'user',
    code: 'DiskFull',
    words: /its disk is full: \/var\/lib\/dpkg has \d+ kB left/,
    next: 'failed',
  },
  {
    name: 'package',
    make: (node) =>
      fleet.ssh(
        node,
        `mkdir -p /run/agent/DEBIAN
         printf '%s\n' 'Package: site-agent' 'Version: 1.0' 'Architecture: all' 'Maintainer: ops <ops@site.example>' \
           'Conflicts: kubelet' 'Description: the agent of a site' > /run/agent/DEBIAN/control
         dpkg-deb --build /run/agent /run/agent.deb && dpkg --install /run/agent.deb && apt-mark hold site-agent`,
      ),
    class: 'user',
    code: 'PackagesHeld',
    words: /held packages/,
    next: 'failed',
  },
  {
    // apt sees a clock that is 400 days behind.
    name: 'clock',
    make: async (node) => {
      await fleet.ssh(
        node,
        `base64 -d > /run/faketime.deb <<'END'\n${fakeTime()}\nEND\ndpkg --install /run/faketime.deb`,
      );
      await fleet.ssh(
        node,
        `mkdir -p /srv/site && cd /srv/site && : > Packages
         printf 'Date: %s\nSHA256:\n %s 0 Packages\n' "$(date -Ru)" "$(sha256sum < Packages | cut -d' ' -f1)" > Release
         echo 'deb [trusted=yes] file:/srv/site ./' > /etc/apt/sources.list.d/site.list
         echo -400d > /etc/faketimerc
         mv /usr/bin/apt-get /usr/bin/apt-get.real
         printf '%s\\n' '#!/bin/sh' "LD_PRELOAD=$(ls /usr/lib/*/faketime/libfaketime.so.1) exec /usr/bin/apt-get.real \\"\\$@\\"" > /usr/bin/apt-get
         chmod 755 /usr/bin/apt-get`,
      );
    },
    class: 'user',
    code: 'ClockWrong',
    words: /is not valid yet/,
    next: 'failed',
  },
];

/** Debian's package, as text. */
function fakeTime(): string {
  const directory = join(fleet.directory, 'faketime');
  mkdirSync(directory);
  execFileSync('apt-get', ['download', '--quiet=2', 'libfaketime'], { cwd: directory, stdio: 'pipe' });
  const [name = ''] = readdirSync(directory);
  return readFileSync(join(directory, name)).toString('base64');
}

async function apply(
  node: string,
  { others = [], version = patchBefore }: { others?: readonly string[]; version?: string } = {},
) {
  const directory = join(fleet.directory, node);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kubeone.yaml'), stringify(fleetManifest(fleet, version, others, node)));
  // Ten tries take nine minutes, on a busy machine more.
  const args = ['--signal=INT', '1500', builtKubeone(kubeone), 'apply', '-m', 'kubeone.yaml', '-y', '--force-upgrade'];
  const { code, stdout, stderr } = await outcome('timeout', args, { directory, env: {} });
  return { code, printed: `${stdout}\n${stderr}` };
}

/** As the kubernetes stage asks a machine. */
const asker = {
  runner: runnerConfig(process.env),
  workDirectory: fleet.directory,
  run: async ({ program, args }: { readonly program: string; readonly args: readonly string[] }) => {
    const { code, ...printed } = await outcome(program, args, { directory: fleet.directory, env: {} });
    return { ...printed, code: code ?? 255 };
  },
};

/** The failure of an apply, and what follows it: a grow is undone in the end. */
async function expectFailure({ code, printed }: Awaited<ReturnType<typeof apply>>, expected: Omit<Fault, 'make'>) {
  expect(code, printed.slice(-3000)).not.toBe(0);
  const nodes = fleet.nodes.map(({ name }) => ({ name, privateAddress: fleet.privateAddress(name) }));
  const state = { ...twoProviderState(), pools: [dynamicPool({ id: 'control-aaaaaaa', role: 'control', nodes })] };
  const addresses = new Map(fleet.nodes.map(({ name }) => [fleet.address(name), name]));
  const said = kubeoneError(printed, state, state, addresses);
  const host = fleet.address(expected.name);
  const failure = await withFullDisk(asker, { name: expected.name, host, port: 22, keyFile: fleet.keyFile }, said);
  process.stdout.write(`${JSON.stringify(failure)}\n`);
  expect(failure, printed.slice(-3000)).toMatchObject({
    class: expected.class,
    code: expect.stringMatching(`^(?:${expected.code})$`),
    message: expect.stringMatching(expected.words),
    ...(!expected.ofAll && { resource: expected.name }),
  });
  expect(failure.message).not.toMatch(/set -xeu|export "?PATH/);
  const stage = { class: failure.class, retryable: failure.retryable ?? true, config: limits };
  expect(assessStageFailure({ ...stage, attempt: 1 }).outcome).toBe(expected.next);
  const grow = { direction: 'grow', failedStage: 'kubernetes' } as const;
  const failed = { ...grow, class: failure.class, backOffs: 0, config: limits };
  expect(assessWaypointFailure(failed).decision).toBe('rollBack');
}

beforeAll(async () => {
  await fleet.start();
  const installed = await fleet.play('configure', { install: fleet.nodes.map((node) => node.name) });
  expect(installed.troubles).toEqual([]);
});
afterAll(() => fleet.stop());

describe('a control node with a fault', () => {
  let results: readonly Awaited<ReturnType<typeof apply>>[];
  beforeAll(async () => {
    results = await Promise.all(
      faults.map(async ({ name, make }) => {
        await make(name);
        return await apply(name);
      }),
    );
  }, 1_800_000);

  test.each(faults.map((fault, index) => ({ ...fault, index })))(
    '$name: the failure is $class, $code, and names the machine and the tool’s own words; a grow is undone in the end',
    async ({ index, ...fault }) => {
      const result = results[index];
      if (result === undefined) throw new Error('it was not tried');
      await expectFailure(result, fault);
    },
  );
});

describe('three control nodes, of which two lost their member of etcd', () => {
  test('no quorum: the failure is conflict, EtcdWithoutQuorum, which is not retried, and nothing is upgraded', async () => {
    const [first, ...others] = quorum;
    const made = await apply(first, { others });
    expect(made.code, made.printed.slice(-3000)).toBe(0);
    for (const node of others)
      await fleet.ssh(
        node,
        `systemctl stop kubelet; crictl ps --quiet | xargs crictl stop --timeout 0; mv /etc/kubernetes/manifests /etc/kubernetes/gone`,
      );
    const result = await apply(first, { others, version: newest });
    await expectFailure(result, {
      name: first,
      class: 'conflict',
      code: 'EtcdWithoutQuorum',
      words: /quorum mostly like lost/,
      next: 'failed',
      ofAll: true,
    });
  }, 1_500_000);
});

/** Lets the processes of a host of this machine have so many bytes more than they have now. */
function leaveMemory(unit: string, bytes: number): void {
  const second = `/sys/fs/cgroup/${unit}`;
  const isSecond = existsSync(join(second, 'memory.max'));
  const place = isSecond ? second : `/sys/fs/cgroup/memory/${unit}`;
  const stat = readFileSync(join(place, 'memory.stat'), 'utf8');
  const used = Number(new RegExp(`^${isSecond ? 'anon' : 'total_rss'} (\\d+)$`, 'm').exec(stat)?.[1]);
  writeFileSync(join(place, isSecond ? 'memory.max' : 'memory.limit_in_bytes'), String(used + bytes));
}
