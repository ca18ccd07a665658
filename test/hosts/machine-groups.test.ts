/** Machine groups in the product on real hosts: machines without Kubernetes, in the words of Kadende, with a boot script. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription, ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import { proveMesh } from '../../demo/proofs.ts';
import { kubeloomProcess } from '../cli/kubeloom-process.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation, nodesOf } from './installation.ts';

const name = 'web-shop';
/** Notes when it began and ended, so that one sees which machines ran it at once. */
const noted = (version: string) => [
  // Signs of templates: the runner, whose credentials they could read, must not evaluate them.
  "signs=(a b); echo \"${#signs[@]} {{ 1 + 1 }} {{ lookup('pipe', 'id') }} {% if %} {# #}\" > /root/signs",
  `echo "${version} $KUBELOOM_GROUP $(date +%s%N)" > /root/began`,
  'sleep 0.5',
  `echo "${version} $KUBELOOM_GROUP $(date +%s%N)" > /root/ended`,
];

/** As users of Kadende write it. */
function document({
  size = 2,
  boot = noted('one'),
  web = {},
  instanceType = 't2.small',
}: {
  size?: number;
  boot?: readonly string[];
  web?: object;
  instanceType?: string;
} = {}): object {
  const resourcePlugin = { name: 'local', version: 'latest' };
  const resourceProperties = { key: 'team', instanceType: 't2.small', image: 'debian' };
  return {
    version: '0.0.1',
    name: 'web_shop',
    groups: {
      web: { size, resourcePlugin, resourceProperties: { ...resourceProperties, instanceType }, boot, ...web },
      batch: { 'night-shift': { size: 1, resourcePlugin, resourceProperties } },
    },
  };
}

describe.runIf(isRoot)('machine groups on real hosts', () => {
  let installation: Installation;
  let machines: Machines;
  let cluster: ClusterDescription;

  async function apply(given: object): Promise<ManifestDescription> {
    const manifest = await installation.apply(name, given);
    cluster = clusterOf(manifest);
    return manifest;
  }
  const group = (pool: string): readonly NodeRow[] => cluster.nodes.filter((row) => row.pool === pool);
  const asked = (rows: readonly NodeRow[], command: string) =>
    Promise.all(rows.map((row) => machines.ask(row, command)));
  /** Start and end of each machine, in order. */
  async function times(): Promise<readonly (readonly number[])[]> {
    const answers = await asked(group('web'), "awk '{print $3}' /root/began /root/ended");
    return answers.map((text) => text.split('\n').map(Number)).toSorted(([one = 0], [other = 0]) => one - other);
  }

  beforeAll(async () => {
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    installation = await Installation.open();
    const manifest = await apply(document());
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    machines = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${cluster.cluster}`,
    });
  });
  afterAll(async () => {
    await machines?.close();
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('every machine of every group exists, without Kubernetes, and reaches the others over the mesh', async () => {
    expect(cluster.nodes.map(({ pool, role, status }) => [pool, role, status])).toEqual([
      ['web', 'machine', 'Ready'],
      ['web', 'machine', 'Ready'],
      ['batch-night-shift', 'machine', 'Ready'],
    ]);
    expect(cluster).toMatchObject({ apiEndpoint: null, simulated: [] });
    expect(await proveMesh(machines, cluster)).toBe(6);
    expect(await asked(cluster.nodes, 'command -v kubelet kubeadm containerd || true')).toEqual(['', '', '']);
  });

  it('the boot script ran on the machines of its group only, and knows its name', async () => {
    expect(await asked(group('web'), "cut -d' ' -f1,2 /root/ended")).toEqual(['one web', 'one web']);
    expect(
      await asked(group('batch-night-shift'), 'ls /root/ended /var/lib/kubeloom/boot.sh 2>&1 | grep -c "No such"'),
    ).toEqual(['2']);
    expect(await asked(group('web'), 'stat -c %a:%U /var/lib/kubeloom/boot.sh')).toEqual(['700:root', '700:root']);
  });

  it('a script with signs of a template arrives as it was written', async () => {
    const signs = "2 {{ 1 + 1 }} {{ lookup('pipe', 'id') }} {% if %} {# #}";
    expect(await asked(group('web'), 'cat /root/signs')).toEqual([signs, signs]);
  });

  it('kubeloom ssh runs a command on a machine with a key that is used once, and an event says who asked', async () => {
    const { apiUrl: KUBELOOM_API_URL, token: KUBELOOM_TOKEN } = installation.platform;
    const [machine] = group('web');
    const where = ['ssh', name, machine?.name ?? '', '--', 'hostname; exit 3'];
    const { code, stdout, stderr } = await kubeloomProcess(where, {
      environment: { KUBELOOM_API_URL, KUBELOOM_TOKEN },
    });
    expect([code, stdout.trim()], stderr).toEqual([3, machine?.name]);
    const { items } = await installation.api.listEvents({ namespace: 'default', name }, {});
    expect(items.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`SSH access to ${machine?.name} for 10 min, requested`),
    );
  });

  it('requesting a kubeconfig of machine groups is refused with the reason', async () => {
    await expect(
      installation.api.getKubeconfig({ namespace: 'default', name, cluster: cluster.name }),
    ).rejects.toThrow();
  });

  it('a changed script runs on one machine after the other, and no machine is replaced', async () => {
    const before = await bootIds(machines, cluster);
    expect((await apply(document({ boot: noted('two') }))).status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(await bootIds(machines, cluster)).toEqual(before);
    expect(await asked(group('web'), "cut -d' ' -f1 /root/ended")).toEqual(['two', 'two']);
    const [first, second] = await times();
    expect(second?.[0]).toBeGreaterThan(first?.[1] ?? Number.POSITIVE_INFINITY);
  });

  it('a script that fails stops at the first machine and is reported with its last words', async () => {
    const manifest = await apply(document({ boot: ['echo three > /root/ended', 'echo the shop is closed', 'exit 7'] }));
    expect(manifest.status).toBe('Failed');
    expect(cluster.failure).toMatchObject({
      class: 'user',
      message: expect.stringMatching(/the boot script ended with 7: the shop is closed/),
    });
    const versions = await asked(group('web'), "cut -d' ' -f1 /root/ended");
    expect(versions.toSorted()).toEqual(['three', 'two']);
  });

  it('more machines run the script when they are made, the others do not run it again', async () => {
    expect((await apply(document({ boot: noted('four') }))).status, JSON.stringify(cluster.failure)).toBe('Done');
    const before = await times();
    const manifest = await apply(document({ size: 3, boot: noted('four') }));
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(group('web')).toHaveLength(3);
    expect((await times()).slice(0, 2)).toEqual(before);
  });

  it('a machine that is gone is recreated by a repair, and its boot script runs', async () => {
    const [, , lost] = group('web');
    if (lost === undefined) throw new Error('there is no third machine');
    const { installation: id } = await installation.api.getVersion();
    const place = ['--cluster', cluster.cluster, '--provider', lost.provider, '--host', lost.name];
    execFileSync(hostsHelper, ['kill', '--installation', id, ...place], {
      env: { ...process.env, KUBELOOM_HOSTS_DIR: installation.hostsDirectory },
    });
    const key = { namespace: 'default', name };
    const { runId } = await installation.api.driftManifest(key, { repair: true });
    const { manifest } = await follow(installation.api, key, { runId, quiet: true });
    if (manifest === undefined) throw new Error('the manifest is gone');
    cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify([manifest.lastRun, cluster.failure])).toBe('Done');
    expect(cluster.drift, JSON.stringify(cluster.drift)).toMatchObject({
      items: [],
      unchecked: [],
      repair: { state: 'helped' },
    });
    expect(nodesOf(manifest)).toContain(lost.name);
    expect(await asked(group('web'), "cut -d' ' -f1 /root/ended")).toEqual(['four', 'four', 'four']);
  });

  it('a change of the server type in place is one waypoint for each machine, ends when the machine is healthy, and keeps all machines', async () => {
    const web = { update: 'inPlace', health: [{ tcp: { port: 22 } }] };
    expect((await apply(document({ size: 3, boot: noted('four'), web }))).status, JSON.stringify(cluster.failure)).toBe(
      'Done',
    );
    const before = await bootIds(machines, cluster);
    const { runId } = await installation.api.putManifest(
      { namespace: 'default', name },
      document({ size: 3, boot: noted('four'), web, instanceType: 't2.large' }),
    );
    const { manifest } = await follow(installation.api, { namespace: 'default', name }, { runId, quiet: true });
    if (manifest === undefined) throw new Error('the manifest is gone');
    cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(await bootIds(machines, cluster)).toEqual(before);
    const { items } = await installation.api.listEvents({ namespace: 'default', name }, {});
    const reached = items.filter((event) => event.runId === runId && event.kind === 'WaypointReached');
    expect(reached).toHaveLength(3);
  });

  it('machines of groups without a mesh have no WireGuard, are asked for their health, and differ in nothing', async () => {
    const machine = { providerSpec: { name: 'here', region: 'here' }, serverType: 'host', image: 'debian' };
    const plain = await installation.apply('plain', {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'MachineGroups',
      metadata: { name: 'plain' },
      spec: {
        providers: [{ name: 'here', providerType: 'local' }],
        network: 'none',
        groups: { web: { ...machine, size: 2, health: [{ tcp: { port: 22 } }] } },
      },
    });
    const own = clusterOf(plain);
    expect(plain.status, JSON.stringify(own.failure)).toBe('Done');
    const { runId } = await installation.api.driftManifest({ namespace: 'default', name: 'plain' }, {});
    const { manifest } = await follow(
      installation.api,
      { namespace: 'default', name: 'plain' },
      { runId, quiet: true },
    );
    const { nodes = [], drift } = manifest?.clusters[0] ?? {};
    expect(drift, JSON.stringify(drift)).toMatchObject({ items: [], unchecked: [] });
    expect(nodes.map(({ status, health, privateAddress }) => [status, health?.state, privateAddress])).toEqual(
      Array.from({ length: 2 }, () => ['Ready', 'healthy', '']),
    );
    const others = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/plain/${own.cluster}`,
    });
    try {
      const answers = nodes.map((row) =>
        others.ask(row, 'ls /etc/wireguard/private.key /sys/class/net/wg0 2>&1 | grep -c "No such"'),
      );
      expect(await Promise.all(answers)).toEqual(['2', '2']);
    } finally {
      await others.close();
    }
    await installation.remove('plain');
  });

  it('a deletion leaves nothing', async () => {
    await installation.remove(name);
    expect(await installation.hosts()).toEqual([]);
    expect(await installation.leftovers()).toEqual([]);
  });
});
