/**
 * What changes a cluster on real hosts and not its machines: the API endpoint moves, drift is found, reported and repaired, and Kubernetes is
 * upgraded.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventFeed } from '#cli/follow/event-feed.ts';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription, ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import { proveApplication, proveKubectl, proveMesh, serverOf } from '../../demo/proofs.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'changing';
const key = { namespace: 'default', name };
const compute = {
  near: { provider: 'local-1', region: 'here' },
  far: { provider: 'local-2', region: 'there' },
};

describe.runIf(isRoot)('changes that keep machines', () => {
  let installation: Installation;
  let machines: Machines;
  let cluster: ClusterDescription;
  let ids: ReadonlyMap<string, string>;

  async function serve(api: 'load balancer' | 'node', version = '1.33.7'): Promise<ManifestDescription> {
    const balancer = { servesApi: api === 'load balancer' };
    const manifest = await installation.apply(name, smallManifest({ name, version, compute, balancer }));
    cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    return manifest;
  }
  /** Everything works on the same machines, and the delivered kubeconfig leads to `server`. */
  async function prove(server: string | undefined): Promise<void> {
    const file = await installation.kubeconfig(name, cluster);
    expect(await serverOf(file)).toBe(`https://${server}:6443`);
    const named = (isOne: (node: NodeRow) => boolean) => cluster.nodes.filter(isOne).map((node) => node.name);
    await proveKubectl(
      file,
      named(({ role }) => role !== 'loadBalancer'),
    );
    expect(await proveMesh(machines, cluster)).toBe(12);
    const workers = named(({ role }) => role === 'compute');
    await proveApplication(`http://${cluster.loadBalancers[0]?.endpoint}/`, workers);
    await untouched();
  }
  /** A check to its end, and what is known of the cluster then. */
  async function check(
    repair: boolean,
  ): Promise<{ manifest: ManifestDescription; drift: NonNullable<ClusterDescription['drift']> }> {
    const { runId } = await installation.api.driftManifest(key, { repair });
    const { manifest } = await follow(installation.api, key, { runId, quiet: true, pollMs: 1000 });
    if (!manifest) throw new Error('the manifest is gone');
    cluster = clusterOf(manifest);
    if (cluster.drift === null) throw new Error('nothing is known of drift');
    return { manifest, drift: cluster.drift };
  }
  const nodeOf = (pool: string): NodeRow => {
    const node = cluster.nodes.find((row) => row.pool === pool);
    if (!node) throw new Error(`there is no node in ${pool}`);
    return node;
  };
  /** Boot ids of all nodes but these are what they were. */
  async function untouched(...but: readonly string[]): Promise<void> {
    const now = await bootIds(machines, cluster);
    for (const [node, id] of ids) if (!but.includes(node)) expect({ node, id: now.get(node) }).toEqual({ node, id });
    ids = now;
  }

  beforeAll(async () => {
    // What is broken here is broken for good: a second look need not wait.
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    installation = await Installation.open();
    await serve('load balancer');
    machines = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${cluster.cluster}`,
    });
    ids = await bootIds(machines, cluster);
  });
  afterAll(async () => {
    await machines?.close();
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('the API endpoint is the load balancer at first', async () => {
    await prove(cluster.loadBalancers[0]?.endpoint);
  });

  it('a cluster that was just created has no drift', async () => {
    const { manifest, drift } = await check(true);
    expect(drift).toMatchObject({ items: [], unchecked: [], outcome: 'nothing differs from what was created' });
    expect(manifest).toMatchObject({ status: 'Done', attempt: 1 });
    await untouched();
  });

  it('the API endpoint moves to the control node when the load balancer loses its API role', async () => {
    await serve('node');
    await prove(nodeOf('control').publicAddress);
  });

  it('drift in lists of peers and a stopped proxy are found and reported, and not changed', async () => {
    const [near, far, balancer] = [nodeOf('near'), nodeOf('far'), nodeOf('balancer')];
    const peer = await machines.ask(far, 'wg show wg0 public-key');
    await machines.ask(near, `wg set wg0 peer ${peer} remove`);
    await machines.ask(far, 'wg set wg0 peer "$(wg genkey | wg pubkey)" allowed-ips 192.168.99.99/32');
    await machines.ask(balancer, 'systemctl stop haproxy');
    const { manifest, drift } = await check(false);
    expect(manifest.status).toBe('Done');
    const found = drift.items.map(({ kind, where, repairable }) => ({ kind, node: where.node, repairable }));
    expect(found).toContainEqual({ kind: 'mesh', node: near.name, repairable: true });
    expect(found).toContainEqual({ kind: 'mesh', node: far.name, repairable: true });
    expect(found).toContainEqual({ kind: 'traffic', node: balancer.name, repairable: true });
    expect(drift.unchecked).toEqual([]);
    expect(await machines.ask(near, 'wg show wg0 peers')).not.toContain(peer);
  });

  it('drift in lists of peers and a stopped proxy is repaired, and no machine changes', async () => {
    const { manifest, drift } = await check(true);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(drift).toMatchObject({ items: [], repair: { state: 'helped' } });
    expect(await proveMesh(machines, cluster)).toBe(12);
    expect(await machines.ask(nodeOf('balancer'), 'systemctl is-active haproxy')).toContain('active');
    await untouched();
  });

  it('a machine removed by hand is found, recreated and joined; the others do not change', async () => {
    const far = nodeOf('far');
    const environment = { ...process.env, KUBELOOM_HOSTS_DIR: installation.hostsDirectory };
    const helper = (...args: readonly string[]) =>
      execFileSync(hostsHelper, args, { env: environment, encoding: 'utf8' });
    const { installation: owner } = await installation.api.getVersion();
    const scope = ['--installation', owner, '--cluster', cluster.cluster, '--provider', far.provider];
    helper('down', ...scope, '--host', far.name);
    expect(helper('status')).not.toContain(far.name);
    const { drift: reported } = await check(false);
    const found = reported.items.map(({ kind, where }) => ({ kind, node: where.node }));
    expect(found.filter(({ kind }) => kind === 'machine')).toEqual([{ kind: 'machine', node: far.name }]);
    const { manifest, drift } = await check(true);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(drift).toMatchObject({ items: [], repair: { state: 'helped' } });
    expect(await proveMesh(machines, cluster)).toBe(12);
    await untouched(far.name);
    expect(nodeOf('far').name).toBe(far.name);
  });

  it('the API endpoint moves back to the load balancer', async () => {
    await serve('load balancer');
    await prove(cluster.loadBalancers[0]?.endpoint);
  });

  it('an upgrade by three minor versions passes through each of them', async () => {
    await serve('load balancer', '1.36.2');
    await prove(cluster.loadBalancers[0]?.endpoint);
    const items = await eventFeed(installation.api, key).read();
    const upgrades = items
      .filter(({ kind }) => kind === 'KubernetesUpdated')
      .map(({ message }) => message.split(' ')[1]);
    expect(upgrades.slice(-3)).toEqual(['1.34.0', '1.35.0', '1.36.2']);
  });

  it('a deletion after drift leaves nothing behind', async () => {
    await installation.remove(name);
    expect(await installation.leftovers()).toEqual([]);
  });
});
