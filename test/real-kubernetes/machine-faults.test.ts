/**
 * Real faults of machines under the real KubeOne: what our failure says of each, and what Kubeloom does next. KubeOne tries ten times, for nine
 * minutes: three faults are tried side by side, each on a cluster of its own. Not part of CI: a quarter of an hour.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ErrorClass } from '#domain/errors.ts';
import { assessStageFailure, assessWaypointFailure } from '#domain/failure-policy.ts';
import { builtKubeone } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { patchBefore } from '#local/kubernetes/versions.ts';
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

interface Fault {
  readonly name: string;
  readonly make: (node: string) => Promise<unknown>;
  readonly class: ErrorClass;
  readonly code: string;
  /** In the message: the tool's own words. */
  readonly words: RegExp;
  /** What follows the first failure of the stage. */
  readonly next: 'retry' | 'failed';
}

const fleet = new NodesFleet(
  ['port', 'lock', 'memory'].map((name) => ({ name, kind: 'control', provider: 'north' }) as const),
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
    // Its kernel ends what takes memory, and that is sshd as well.
    name: 'memory',
    make: async (node) => leaveMemory((await fleet.workshop.host(node)).unit, 6 << 20),
    class: 'transient',
    code: 'HostUnreachable',
    words: /connection refused/,
    next: 'retry',
  },
];

async function apply(node: string) {
  const directory = join(fleet.directory, node);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kubeone.yaml'), stringify(fleetManifest(fleet, patchBefore, [], node)));
  const args = ['apply', '-m', 'kubeone.yaml', '-y', '--force-upgrade'];
  const { code, stdout, stderr } = await outcome(builtKubeone(kubeone), args, { directory, env: {} });
  return { code, printed: `${stdout}\n${stderr}` };
}

/** The failure of an apply, and what follows it: a grow is undone in the end. */
function expectFailure({ code, printed }: Awaited<ReturnType<typeof apply>>, expected: Omit<Fault, 'make'>) {
  expect(code, printed.slice(-3000)).not.toBe(0);
  const nodes = fleet.nodes.map(({ name }) => ({ name, privateAddress: fleet.privateAddress(name) }));
  const state = { ...twoProviderState(), pools: [dynamicPool({ id: 'control-aaaaaaa', role: 'control', nodes })] };
  const addresses = new Map(fleet.nodes.map(({ name }) => [fleet.address(name), name]));
  const failure = kubeoneError(printed, state, state, addresses);
  process.stdout.write(`${JSON.stringify(failure)}\n`);
  expect(failure, printed.slice(-3000)).toMatchObject({
    class: expected.class,
    code: expected.code,
    message: expect.stringMatching(expected.words),
    resource: expected.name,
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
  }, 1_500_000);

  test.each(faults.map((fault, index) => ({ ...fault, index })))(
    '$name: the failure is $class, $code, and names the machine and the tool’s own words; a grow is undone in the end',
    ({ index, ...fault }) => {
      const result = results[index];
      if (result === undefined) throw new Error('it was not tried');
      expectFailure(result, fault);
    },
  );
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
