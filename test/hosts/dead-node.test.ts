/** A machine without power, in the product on real hosts: it fails what needs it, by its name, and nothing else. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription, ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { type Small, smallManifest } from './small-manifest.ts';

const name = 'halved';
const near = { provider: 'local-1', region: 'here' };
const lost = { provider: 'local-2', region: 'there' };
const far = { provider: 'local-3', region: 'away' };

describe.runIf(isRoot)('a cluster with a machine that has no power', () => {
  let installation: Installation;
  let cluster: ClusterDescription;

  async function apply(compute: Small['compute'], targetPort = 30_080, port = 80): Promise<ManifestDescription> {
    const manifest = await installation.apply(
      name,
      smallManifest({ name, compute, balancer: { servesApi: false, targetPort, port } }),
    );
    cluster = clusterOf(manifest);
    return manifest;
  }
  const nodeOf = (pool: string): NodeRow | undefined => cluster.nodes.find((row) => row.pool === pool);
  async function powerOff(pool: string): Promise<string> {
    const node = nodeOf(pool);
    if (node === undefined) throw new Error(`there is no node in ${pool}`);
    const place = ['--cluster', cluster.cluster, '--provider', node.provider, '--host', node.name];
    const { installation: id } = await installation.api.getVersion();
    execFileSync(hostsHelper, ['kill', '--installation', id, ...place], {
      env: { ...process.env, KUBELOOM_HOSTS_DIR: installation.hostsDirectory },
    });
    return node.name;
  }

  /** Kubernetes waits a while before it calls a kubelet silent: a check before that finds nothing at its node. */
  async function untilNotReady(node: string): Promise<void> {
    const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
    const file = await installation.kubeconfig(name, cluster);
    const ask = () => execFileSync('kubectl', ['--kubeconfig', file, 'get', 'node', node, '-o', ready]).toString();
    await vi.waitFor(() => expect(ask()).not.toBe('True'), { timeout: 120_000, interval: 1000 });
  }

  beforeAll(async () => {
    // What has no power here gets none: more tries need not wait.
    vi.stubEnv('KUBELOOM_BACK_OFF_SECONDS', '0.2');
    vi.stubEnv('KUBELOOM_MAX_BACK_OFFS', '1');
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    installation = await Installation.open();
    expect(await apply({ near, lost })).toMatchObject({ status: 'Done' });
    await powerOff('lost');
  });
  afterAll(async () => {
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('a pool joins elsewhere, and the dead node is described as unreachable', async () => {
    const manifest = await apply({ near, lost, far });
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(nodeOf('lost')).toMatchObject({ status: 'Unreachable', unreachableSince: expect.stringMatching(/^\d{4}-/) });
    expect(nodeOf('far')?.status).toBe('Ready');
  });

  it('a role changes while a target is dead', async () => {
    const manifest = await apply({ near, lost, far }, 30_081);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
  });

  it('the dead node is removed', async () => {
    const manifest = await apply({ near, far }, 30_081);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(nodeOf('lost')).toBeUndefined();
  });

  it('a pool leaves and another joins while the load balancer is dead', async () => {
    await powerOff('balancer');
    const manifest = await apply({ near, late: lost }, 30_081);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(nodeOf('balancer')?.status).toBe('Unreachable');
    expect(nodeOf('late')?.status).toBe('Ready');
  });

  it('a role of the dead load balancer fails with its name', async () => {
    const manifest = await apply({ near, late: lost }, 30_082);
    expect(manifest.status).toBe('Failed');
    expect(cluster.failure).toMatchObject({ code: 'HostUnreachable', resource: nodeOf('balancer')?.name });
  });

  it('dead machines that are recreated on the way to another change are configured whole, and a repair joins the Kubernetes node', async () => {
    const joined = await powerOff('near');
    // A changed port changes the firewall: Terraform visits both machines, and their provider says that they are lost.
    const manifest = await apply({ near, late: lost }, 30_082, 81);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    await untilNotReady(joined);
    const { runId } = await installation.api.driftManifest({ namespace: 'default', name }, { repair: true });
    const checked = await follow(installation.api, { namespace: 'default', name }, { runId, quiet: true });
    cluster = clusterOf(checked.manifest ?? manifest);
    expect(cluster.drift).toMatchObject({ items: [], unchecked: [], repair: { state: 'helped' } });
    expect(cluster.drift?.repair?.items).toContainEqual(
      expect.objectContaining({ kind: 'node', where: expect.objectContaining({ node: joined }) }),
    );
  });

  it('a pool joins in the provider of a dead node, which is recreated and joins again in the same change', async () => {
    const recreated = await powerOff('late');
    const manifest = await apply({ near, late: lost, next: lost }, 30_082, 81);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(nodeOf('next')?.status).toBe('Ready');
    expect(nodeOf('late')).toMatchObject({ name: recreated, status: 'Ready' });
  });
});
