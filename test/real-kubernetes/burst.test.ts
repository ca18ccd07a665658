/**
 * The order in which pools of two providers grow in a real cluster on local hosts, with the real cluster-autoscaler: home first, then the cheaper
 * pool elsewhere. KUBELOOM_CLUSTER_AUTOSCALER names its program; without it nothing is tried, and the tests are reported as skipped.
 * KUBELOOM_FIGURES names a file for the seconds that it took.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

/** By pool: the provider, and how it grows. The dear pool comes first by name, and has the same machines. */
const order = {
  home: { provider: { name: 'local-1', region: 'here' }, max: 2, priority: 100, amount: 0 },
  'abroad-dear': { provider: { name: 'local-2', region: 'there' }, max: 3, priority: 50, amount: 40 },
  'far-cheap': { provider: { name: 'local-2', region: 'there' }, max: 3, priority: 50, amount: 10 },
};
const figures: Record<string, number | undefined> = {};

async function burst(): Promise<Manifest> {
  const manifest = await two(newest);
  const { nodePools, kubernetes, loadBalancers } = manifest.spec;
  const [control, like] = nodePools.dynamic;
  if (control === undefined || like === undefined) throw new Error('the example has other pools');
  const grown = Object.entries(order).map(([name, { provider, max, priority, amount }]) => {
    const { count: _, labels: __, ...pool } = like;
    const capacity = { cpu: 2, memory: 4 };
    const monthlyPrice = { amount, currency: 'EUR' };
    const autoscaler = { min: 0, max, capacity, priority, price: true, monthlyPrice };
    return { ...pool, name, providerSpec: provider, autoscaler } as never;
  });
  nodePools.dynamic = [control, ...grown];
  kubernetes.clusters[0].pools.compute = Object.keys(order);
  Object.assign(loadBalancers, { roles: [], clusters: [] });
  return manifest;
}

describe.skipIf(!process.env.KUBELOOM_CLUSTER_AUTOSCALER)('pools that grow in an order', () => {
  const cluster = realCluster(burst);

  async function until(isTrue: () => Promise<boolean>): Promise<void> {
    while (!(await isTrue().catch(() => false))) await pause(1000);
  }
  const sizes = async () => {
    const { nodes } = await cluster.cluster();
    return Object.fromEntries(
      Object.keys(order).map((name) => [name, nodes.filter(({ pool }) => pool === name).length]),
    );
  };
  const isReady = async (name: string) => {
    const path = 'jsonpath={.status.readyReplicas}';
    return (await cluster.kubectl('get', 'deployment', name, '-n', 'kube-system', '-o', path)) === '1';
  };
  /** Each pod fills a node. Waits until they run, and notes the seconds. */
  async function runPods(app: string, count: number): Promise<void> {
    const since = Date.now();
    const resources = { requests: { cpu: '1100m', memory: '200Mi' } };
    const containers = [{ name: 'a', image: 'registry.k8s.io/e2e-test-images/agnhost:2', args: ['pause'], resources }];
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, labels: { app } },
      spec: { terminationGracePeriodSeconds: 1, containers },
    }));
    await cluster.applyObjects({ apiVersion: 'v1', kind: 'List', items });
    const asked = ['get', 'pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].status.phase}'];
    await until(async () => (await cluster.kubectl(...asked)) === Array(count).fill('Running').join(' '));
    Object.assign(figures, {
      [`${app}Seconds`]: Math.round((Date.now() - since) / 1000),
      [`${app}Load`]: loadavg()[0],
    });
    if (process.env.KUBELOOM_FIGURES) writeFileSync(process.env.KUBELOOM_FIGURES, JSON.stringify(figures, null, 2));
  }

  it('home grows first, although other pools have the same machines', async () => {
    await until(async () => (await isReady('cluster-autoscaler')) && (await isReady('kubeloom-agent')));
    await runPods('first', 1);
    expect(await sizes()).toEqual({ home: 1, 'abroad-dear': 0, 'far-cheap': 0 });
  });

  it('the order is the same after a restart of the autoscaler and its agent: home until it is full, then the cheaper pool of the other provider', async () => {
    await cluster.kubectl(
      'rollout',
      'restart',
      'deployment',
      'cluster-autoscaler',
      'kubeloom-agent',
      '-n',
      'kube-system',
    );
    for (const name of ['cluster-autoscaler', 'kubeloom-agent'])
      await cluster.kubectl('rollout', 'status', 'deployment', name, '-n', 'kube-system', '--timeout=240s');
    await runPods('next', 2);
    expect(await sizes()).toEqual({ home: 2, 'abroad-dear': 0, 'far-cheap': 1 });
    const asked = (await cluster.eventList())
      .filter(({ kind }) => kind === 'ScaleRequested')
      .map(({ message }) => message);
    expect(asked).toEqual([
      expect.stringContaining('scaling of home to 1 node'),
      expect.stringContaining('scaling of home to 2 nodes'),
      expect.stringContaining('scaling of far-cheap to 1 node'),
    ]);
  });
});
