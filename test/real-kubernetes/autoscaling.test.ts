/**
 * The real cluster-autoscaler in a real cluster that Kubeloom made on local hosts: pods that fit nowhere bring hosts, and these leave again.
 * KUBELOOM_CLUSTER_AUTOSCALER names the program; KUBELOOM_FIGURES a file for the seconds that it took.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { type OwnSite, startSite } from './own-site.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

const program = process.env.KUBELOOM_CLUSTER_AUTOSCALER;
const reference = { namespace: 'default', name: 'ours' };
/** As in the templates, but empty nodes leave after half a minute. */
const flags = [
  '--scale-down-unneeded-time=30s',
  '--scale-down-delay-after-add=30s',
  '--scale-down-delay-after-delete=5s',
];
const site: { current?: OwnSite } = {};

/** One control node, and two pools of 0 to 3 nodes in two providers; least waste prefers the first. */
async function scaled(): Promise<Manifest> {
  const manifest = await two(newest);
  const { nodePools, kubernetes, loadBalancers } = manifest.spec;
  const memory: Readonly<Record<string, number>> = { 'compute-1': 4, 'compute-2': 64 };
  nodePools.dynamic = nodePools.dynamic
    .filter(({ name }) => name !== 'balancer')
    .map(({ count, ...pool }) => {
      const gigabytes = memory[pool.name];
      if (gigabytes === undefined) return { ...pool, count };
      return { ...pool, autoscaler: { min: 0, max: 3, capacity: { cpu: 2, memory: gigabytes } } } as never;
    });
  Object.assign(kubernetes.clusters[0], {
    documents: [{ name: 'autoscaler', templatesRef: { name: reference.name } }],
  });
  Object.assign(loadBalancers, { roles: [], clusters: [] });
  return manifest;
}

describe.skipIf(!program)('autoscaling in a real cluster', () => {
  beforeAll(async () => {
    site.current = await startSite(flags);
  });
  afterAll(() => site.current?.close());
  const cluster = realCluster(scaled, async (api) => {
    await api.putTemplate(reference, {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'TemplateGitReference',
      metadata: reference,
      spec: {
        endpoint: { url: site.current?.git.url, protocol: 'https' },
        commit: 'main',
        paths: { manifestsK8s: 'kubernetes' },
      },
    });
  });

  const nodesOf = async (pool: string) => (await cluster.cluster()).nodes.filter((node) => node.pool === pool);
  const phases = async (app: string) => {
    const asked = ['get', 'pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].status.phase}'];
    return (await cluster.kubectl(...asked)).split(' ').filter(Boolean);
  };
  async function startPods(app: string, count: number): Promise<void> {
    const resources = { requests: { cpu: '1100m', memory: '200Mi' } };
    const containers = [{ name: 'a', image: 'registry.k8s.io/e2e-test-images/agnhost:2', args: ['pause'], resources }];
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, labels: { app } },
      spec: { terminationGracePeriodSeconds: 1, containers },
    }));
    await cluster.applyObjects({ apiVersion: 'v1', kind: 'List', items });
  }
  async function until(isTrue: () => Promise<boolean>): Promise<void> {
    while (!(await isTrue())) await pause(1000);
  }

  it('the autoscaler, out of the repository, and the agent run in the cluster', async () => {
    const asked = [
      'get',
      'deployments',
      '-n',
      'kube-system',
      '-l',
      'kubeloom.dev/documents in (autoscaler,kubeloom-agent)',
    ];
    const path = 'jsonpath={range .items[*]}{.metadata.name}={.status.readyReplicas} {end}';
    await until(async () => {
      const ready = (await cluster.kubectl(...asked, '-o', path)).split(' ').sort();
      return ready.join() === 'cluster-autoscaler=1,kubeloom-agent=1';
    });
  });

  it('two pods that fit nowhere make an empty pool grow by two hosts, and run there', async () => {
    await startPods('web', 2);
    const created = Date.now();
    await until(async () => (await phases('web')).filter((phase) => phase === 'Running').length === 2);
    const nodes = await nodesOf('compute-1');
    expect(nodes).toHaveLength(2);
    expect(await nodesOf('compute-2')).toEqual([]);
    const requested = (await cluster.eventList()).find(({ kind }) => kind === 'ScaleRequested')?.at ?? '';
    const path = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].lastTransitionTime}';
    const ready = await cluster.kubectl('get', 'nodes', ...nodes.map(({ name }) => name), '-o', path);
    const last = Math.max(...ready.split(' ').map((text) => Date.parse(text)));
    const seconds = (from: number, to: number) => Math.round((to - from) / 1000);
    const figures = {
      pendingPodToRequest: seconds(created, Date.parse(requested)),
      requestToReadyHosts: seconds(Date.parse(requested), last),
      readyHostsToRunningPods: seconds(last, Date.now()),
      load: loadavg()[0],
    };
    if (process.env.KUBELOOM_FIGURES) writeFileSync(process.env.KUBELOOM_FIGURES, JSON.stringify(figures, null, 2));
  });

  it('a pool whose provider is sold out is undone, and another one grows from 0 to 1', async () => {
    const faults = join(cluster.hostsDirectory(), 'faults');
    mkdirSync(faults, { recursive: true });
    writeFileSync(join(faults, 'compute-1-*'), 'sold out');
    await startPods('more', 1);
    await until(async () => (await phases('more'))[0] === 'Running');
    rmSync(join(faults, 'compute-1-*'));
    expect(await nodesOf('compute-1')).toHaveLength(2);
    expect(await nodesOf('compute-2')).toHaveLength(1);
    expect(await cluster.events()).toContainEqual(expect.stringContaining('sold out'));
  });

  it('hosts that are empty leave, down to the smallest sizes of their pools', async () => {
    await cluster.kubectl('delete', 'pods', '-l', 'app in (web, more)', '--wait=true');
    await until(async () => (await cluster.cluster()).nodes.length === 1);
    expect((await cluster.cluster()).nodes.map(({ pool }) => pool)).toEqual(['control']);
  });
});
