/** A machine group of machines that exist already, on real hosts: set up, asked, rolled, given back. Nothing creates, replaces or deletes them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { NodesFleet } from './nodes-fleet.ts';

const name = 'metal';
const hosts = ['one', 'two', 'three'] as const;
type Host = (typeof hosts)[number];

/** Serves on port 8080 until it is stopped. */
const boot = (version: string) => [
  'systemctl stop shop.service 2>/dev/null || true',
  `echo "${version} $KUBELOOM_GROUP" > /root/index.html`,
  'systemd-run --quiet --collect --unit=shop --working-directory=/root python3 -m http.server 8080',
];

describe.runIf(isRoot)('static machine groups on real hosts', () => {
  let fleet: NodesFleet;
  let installation: Installation;
  let manifest: ManifestDescription;

  function documentOf(members: readonly Host[], version: string): object {
    const secretRef = { name: 'metal-key', namespace: 'default' };
    const nodes = members.map((host) => ({ endpoint: fleet.address(host), secretRef }));
    const health = [{ http: { port: 8080, path: '/index.html', body: version }, pause: '1s' }];
    return {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'MachineGroups',
      metadata: { name },
      spec: { groups: { racks: { north: { nodes, boot: boot(version), health } } }, driftChecks: { interval: '30m' } },
    };
  }
  async function apply(document: object): Promise<void> {
    manifest = await installation.apply(name, document);
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
  }
  async function check(): Promise<void> {
    const key = { namespace: 'default', name };
    const { runId } = await installation.api.driftManifest(key, {});
    const { manifest: checked } = await follow(installation.api, key, { runId, quiet: true });
    if (checked) manifest = checked;
  }
  const rows = (): readonly NodeRow[] => clusterOf(manifest).nodes;
  const on = (members: readonly Host[], command: string) =>
    Promise.all(members.map((host) => fleet.ssh(host, command)));
  const bootIds = () => on(hosts, 'cat /proc/sys/kernel/random/boot_id');

  beforeAll(async () => {
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    fleet = new NodesFleet(hosts.map((host) => ({ name: host, kind: 'compute', provider: 'rack' })));
    await fleet.start();
    installation = await Installation.open();
    const privatekey = readFileSync(fleet.keyFile, 'utf8');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'metal-key' }, stringData: { privatekey } };
    await installation.api.putSecret({ namespace: 'default', name: 'metal-key' }, secret);
    await apply(documentOf(['one', 'two'], 'v1'));
  });
  afterAll(async () => {
    await installation?.close();
    await fleet?.stop();
    vi.unstubAllEnvs();
  });

  it('machines that exist are taken into the group, run its boot script and reach each other over the mesh', async () => {
    expect(rows().map(({ pool, provider, status }) => [pool, provider, status])).toEqual([
      ['racks-north', 'static', 'Ready'],
      ['racks-north', 'static', 'Ready'],
    ]);
    expect(await on(['one', 'two'], 'cat /root/index.html')).toEqual(['v1 racks-north', 'v1 racks-north']);
    const [, second] = rows();
    expect(await fleet.ssh('one', `ping -c1 -W5 ${second?.privateAddress} >/dev/null && echo there`)).toBe('there');
    expect(clusterOf(manifest)).toMatchObject({ apiEndpoint: null, simulated: [] });
  });

  it('a plan of static machines names no cost', async () => {
    const key = { namespace: 'default', name };
    const plan = await installation.api.planManifest(key, { document: documentOf(hosts, 'v1') });
    expect(plan.faults).toEqual([]);
    expect(plan).not.toHaveProperty('costOfMonth');
  });

  it('a machine whose check fails is reported, and nothing is done about it', async () => {
    await fleet.ssh('two', 'systemctl stop shop.service');
    await check();
    const { drift } = clusterOf(manifest);
    expect(rows().map(({ status, health }) => [status, health?.state])).toEqual([
      ['Ready', 'healthy'],
      ['Unhealthy', 'unhealthy'],
    ]);
    expect(JSON.stringify(drift)).toContain('http :8080/index.html');
    expect(await on(['two'], 'systemctl is-active shop.service || true')).toEqual(['inactive']);
  });

  it('a changed boot script repairs it, without a restart of any machine', async () => {
    const before = await bootIds();
    await apply(documentOf(['one', 'two'], 'v2'));
    expect(await bootIds()).toEqual(before);
    await check();
    expect(rows().map(({ status, health }) => [status, health?.state])).toEqual([
      ['Ready', 'healthy'],
      ['Ready', 'healthy'],
    ]);
  });

  it('a machine can be added to a static group, and a removed machine is cleaned and keeps running', async () => {
    await apply(documentOf(['one', 'three'], 'v2'));
    expect(await on(['three'], 'cat /root/index.html')).toEqual(['v2 racks-north']);
    expect(rows()).toHaveLength(2);
    expect(await on(['two'], 'ls /sys/class/net/wg0 2>/dev/null | wc -l; hostname')).toEqual([
      expect.stringMatching(/^0\n/),
    ]);
    expect(await on(['two'], 'systemctl is-active shop.service')).toEqual(['active']);
  });

  it('a deletion leaves the machines running, without what Kubeloom set up on them', async () => {
    const before = await bootIds();
    await installation.remove(name);
    expect(await bootIds()).toEqual(before);
    expect(
      await on(
        ['one', 'three'],
        'ls /sys/class/net/wg0 /etc/wireguard/wg0.conf /var/lib/kubeloom/* 2>/dev/null | wc -l',
      ),
    ).toEqual(['0', '0']);
    expect(await on(['one', 'three'], 'systemctl is-active shop.service')).toEqual(['active', 'active']);
    expect(await installation.leftovers()).toEqual([]);
  });
});
