/** The machine of the control node that is the API endpoint is lost, in the product on real hosts. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { proveKubectl, serverOf } from '../../demo/proofs.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'headless';
const key = { namespace: 'default', name };
const compute = { near: { provider: 'local-2', region: 'there' } };

describe.runIf(isRoot)('a cluster whose API endpoint is a control node', () => {
  let installation: Installation;
  let cluster: ClusterDescription;

  beforeAll(async () => {
    // What is broken here is broken for good: a second look need not wait.
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    installation = await Installation.open();
    cluster = clusterOf(await installation.apply(name, smallManifest({ name, controls: 3, compute })));
  });
  afterAll(async () => {
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('a lost endpoint is replaced after another control node has become the endpoint', async () => {
    const server = await serverOf(await installation.kubeconfig(name, cluster));
    const lost = cluster.nodes.find(({ publicAddress }) => server === `https://${publicAddress}:6443`);
    if (lost === undefined) throw new Error(`${server} is no node`);
    const { installation: owner } = await installation.api.getVersion();
    const place = ['--cluster', cluster.cluster, '--provider', lost.provider, '--host', lost.name];
    execFileSync(hostsHelper, ['down', '--installation', owner, ...place], {
      env: { ...process.env, KUBELOOM_HOSTS_DIR: installation.hostsDirectory },
    });
    const { runId } = await installation.api.driftManifest(key, { repair: true });
    const { manifest } = await follow(installation.api, key, { runId, quiet: true, pollMs: 1000 });
    if (manifest) cluster = clusterOf(manifest);
    expect(manifest?.status, JSON.stringify(cluster.failure)).toBe('Done');
    expect(cluster.drift).toMatchObject({ items: [], unchecked: [], repair: { state: 'helped' } });
    const file = await installation.kubeconfig(name, cluster);
    const controls = cluster.nodes.filter(({ role, name: node }) => role === 'control' && node !== lost.name);
    expect(controls.map(({ publicAddress }) => `https://${publicAddress}:6443`)).toContain(await serverOf(file));
    await proveKubectl(
      file,
      cluster.nodes.map((node) => node.name),
    );
  });
});
