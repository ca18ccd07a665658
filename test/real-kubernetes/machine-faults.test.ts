/**
 * Real faults of machines under the real KubeOne: what our failure says of each, and what Kubeloom does next. One fault after the other, on the
 * hosts of one cluster. A clock cannot be set on one host alone: the certificate of the API is not valid yet instead, which is what a machine
 * sees whose clock is behind. Not part of CI: ten minutes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ErrorClass } from '#domain/errors.ts';
import { assessStageFailure, assessWaypointFailure } from '#domain/failure-policy.ts';
import type { Direction } from '#domain/plan.ts';
import { builtKubeone } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { newest, patchBefore } from '#local/kubernetes/versions.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
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
const age = readFileSync(new URL('age-certificates.sh', import.meta.url), 'base64');

interface Expected {
  readonly class: ErrorClass;
  readonly code: string;
  readonly node?: string;
  /** In the message: the tool's own words. */
  readonly words: string | RegExp;
  /** What follows the first failure, and what follows the last one. */
  readonly next: 'retry' | 'failed';
  readonly last: 'rollBack' | 'backOff' | 'stop';
}

describe('machines with a fault', () => {
  const fleet = new NodesFleet(
    [
      { name: 'control-1', kind: 'control', provider: 'north' },
      { name: 'control-2', kind: 'control', provider: 'south' },
      { name: 'worker-1', kind: 'compute', provider: 'north' },
      { name: 'worker-2', kind: 'compute', provider: 'south' },
    ],
    'real',
  );
  beforeAll(async () => {
    await fleet.start();
    const installed = await fleet.play('configure', { install: fleet.nodes.map((node) => node.name) });
    expect(installed.troubles).toEqual([]);
  });
  afterAll(() => fleet.stop());

  const state = () => ({
    ...twoProviderState(),
    pools: (['control', 'compute'] as const).map((role) =>
      dynamicPool({
        id: `${role}-aaaaaaa`,
        role,
        nodes: fleet.nodes
          .filter(({ kind }) => kind === role)
          .map(({ name }) => ({ name, privateAddress: fleet.privateAddress(name) })),
      }),
    ),
  });

  const apply = async (version: string, ...others: readonly string[]) => {
    writeFileSync(join(fleet.directory, 'kubeone.yaml'), stringify(fleetManifest(fleet, version, others)));
    const place = { directory: fleet.directory, env: {} };
    const { code, stdout, stderr } = await outcome(
      builtKubeone(kubeone),
      ['apply', '-m', 'kubeone.yaml', '-y', '--force-upgrade'],
      place,
    );
    return { code, printed: `${stdout}\n${stderr}` };
  };
  const applied = async (version: string, ...others: readonly string[]) => {
    const { code, printed } = await apply(version, ...others);
    expect(code, printed.slice(-3000)).toBe(0);
  };

  /** The failure of this apply, and what follows. */
  async function fails(direction: Direction, expected: Expected, version: string, ...others: readonly string[]) {
    const { code, printed } = await apply(version, ...others);
    expect(code, printed.slice(-3000)).not.toBe(0);
    const addresses = new Map(fleet.nodes.map(({ name }) => [fleet.address(name), name]));
    const failure = kubeoneError(printed, state(), state(), addresses);
    process.stdout.write(`${JSON.stringify(failure)}\n`);
    expect(failure, printed.slice(-3000)).toMatchObject({
      class: expected.class,
      code: expected.code,
      message:
        typeof expected.words === 'string'
          ? expect.stringContaining(expected.words)
          : expect.stringMatching(expected.words),
      ...(expected.node !== undefined && { resource: expected.node }),
    });
    const stage = { class: failure.class, retryable: failure.retryable ?? true, config: limits };
    expect(assessStageFailure({ ...stage, attempt: 1 }).outcome).toBe(expected.next);
    const waypoint = {
      direction,
      class: failure.class,
      backOffs: 0,
      failedStage: 'kubernetes',
      config: limits,
    } as const;
    expect(assessWaypointFailure(waypoint).decision).toBe(expected.last);
  }

  /** Until `release`: a program of this node holds what it says. */
  const holds = (node: string, what: string, python: string) =>
    fleet.ssh(
      node,
      `systemd-run --quiet --unit=holder-${what} python3 -c '${python}; open("/run/holds-${what}", "w"); import time; time.sleep(3600)'
       until [ -e /run/holds-${what} ]; do sleep 0.1; done`,
    );
  const release = (node: string, what: string) =>
    fleet.ssh(node, `systemctl stop holder-${what}; rm -f /run/holds-${what}`);

  test('a port that is taken: another program has to go, so the stage is tried again, and a grow is undone', async () => {
    await holds('control-1', 'port', 'import socket; s = socket.create_server(("", 10250))');
    await fails(
      'grow',
      {
        class: 'conflict',
        code: 'AddressInUse',
        node: 'control-1',
        words: /Port 10250 is in use|10250.*in use/,
        next: 'retry',
        last: 'rollBack',
      },
      patchBefore,
      'worker-1',
    );
    await release('control-1', 'port');
    await applied(patchBefore, 'worker-1');
  });

  test('a lock of dpkg that another program holds: it is tried again', async () => {
    await holds(
      'worker-2',
      'lock',
      'import fcntl; l = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(l, fcntl.LOCK_EX)',
    );
    await fails(
      'grow',
      { class: 'conflict', code: 'PackagesLocked', node: 'worker-2', words: /lock/i, next: 'retry', last: 'rollBack' },
      patchBefore,
      'worker-1',
      'worker-2',
    );
    await release('worker-2', 'lock');
  });

  test('a package that someone holds: a person has to act', async () => {
    await fleet.ssh('worker-2', 'dpkg --purge --force-depends rsync >/dev/null 2>&1; apt-mark hold rsync >/dev/null');
    await fails(
      'grow',
      {
        class: 'user',
        code: 'PackagesHeld',
        node: 'worker-2',
        words: 'Held packages were changed',
        next: 'failed',
        last: 'rollBack',
      },
      patchBefore,
      'worker-1',
      'worker-2',
    );
    await fleet.ssh('worker-2', 'apt-mark unhold rsync >/dev/null');
  });

  test('a full disk: a person has to act', async () => {
    await fleet.ssh('worker-2', 'mount -t tmpfs -o size=64k tmpfs /var/cache/apt/archives');
    await fails(
      'grow',
      { class: 'user', code: 'DiskFull', node: 'worker-2', words: /space/i, next: 'failed', last: 'rollBack' },
      patchBefore,
      'worker-1',
      'worker-2',
    );
    await fleet.ssh('worker-2', 'umount /var/cache/apt/archives');
  });

  test('a node without memory: it is tried again a bounded number of times', async () => {
    const { unit } = await fleet.workshop.host('worker-2');
    const limit = await memoryLimit(unit);
    limit.set(limit.used() + (6 << 20));
    await fails(
      'grow',
      {
        class: 'transient',
        code: 'OutOfMemory',
        node: 'worker-2',
        words: /killed|memory|137/i,
        next: 'retry',
        last: 'rollBack',
      },
      patchBefore,
      'worker-1',
      'worker-2',
    );
    limit.lift();
    await fleet.power('kill', 'worker-2');
    await fleet.power('start', 'worker-2');
  });

  test('a clock that is behind: the certificate of the API is not valid yet', async () => {
    // `-1 days ago`: from tomorrow.
    await fleet.ssh('control-1', `cp -a /etc/kubernetes /root/kept; echo ${age} | base64 -d | bash -s -- -1 300`);
    await fleet.ssh('control-1', 'crictl stop $(crictl ps -q --name=kube-apiserver) >/dev/null');
    await fails(
      'upgrade',
      { class: 'user', code: 'ClockWrong', words: /not (?:yet )?valid|is before/i, next: 'failed', last: 'stop' },
      newest,
      'worker-1',
    );
    await fleet.ssh(
      'control-1',
      'cp -a /root/kept/. /etc/kubernetes/; for pod in etcd kube-apiserver kube-controller-manager kube-scheduler; do crictl stop $(crictl ps -q --name=$pod) >/dev/null; done',
    );
    await expect.poll(() => applies(patchBefore, 'worker-1'), { timeout: 600_000, interval: 5000 }).toBe(true);
  });
  const applies = async (...args: Parameters<typeof apply>) => (await apply(...args)).code === 0;

  test('etcd without quorum: nothing is tried at once, because nothing can help but a machine that comes back', async () => {
    await applied(patchBefore, 'control-2', 'worker-1');
    await fleet.power('kill', 'control-2');
    await fails(
      'upgrade',
      { class: 'conflict', code: 'EtcdWithoutQuorum', words: 'quorum', next: 'failed', last: 'backOff' },
      newest,
      'control-2',
      'worker-1',
    );
  });
});

/** The memory of all processes of a host of this machine, in bytes. */
async function memoryLimit(unit: string) {
  const second = `/sys/fs/cgroup/${unit}`;
  const first = `/sys/fs/cgroup/memory/${unit}`;
  const isSecond = existsSync(join(second, 'memory.max'));
  const file = isSecond ? join(second, 'memory.max') : join(first, 'memory.limit_in_bytes');
  const stat = isSecond ? join(second, 'memory.stat') : join(first, 'memory.stat');
  const name = isSecond ? 'anon' : 'total_rss';
  return {
    used: () => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(stat, 'utf8'))?.[1]),
    set: (bytes: number) => writeFileSync(file, String(bytes)),
    lift: () => writeFileSync(file, isSecond ? 'max' : '-1'),
  };
}
