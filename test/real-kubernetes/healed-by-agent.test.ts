/**
 * Machines that lose their power in a real cluster on local hosts, whose agent reports it over the door that the platform has for agents, with
 * no setting of anyone: how long it takes until the replacement starts, and until it is ready; the same while another pool of the manifest has
 * failed. Not part of CI: half an hour. KUBELOOM_FIGURES names a file for the seconds.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

const afterSeconds = 300;
const figures: Record<string, number | undefined> = {};

/** One control node and two pools of a node each, whose nodes are replaced. */
async function healed(): Promise<Manifest> {
  const manifest = await two(newest);
  const { nodePools, loadBalancers } = manifest.spec;
  const repair = { onUnhealthy: 'replace', after: '5m', startAfter: '5m' };
  nodePools.dynamic = nodePools.dynamic
    .filter(({ name }) => name !== 'balancer')
    .map((pool) => (pool.name === 'control' ? pool : { ...pool, repair }));
  Object.assign(loadBalancers, { roles: [], clusters: [] });
  return manifest;
}

const cluster = realCluster(healed);

const nodesOf = async (pool: string) => (await cluster.cluster()).nodes.filter((node) => node.pool === pool);

async function until<Found>(found: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const one = await found().catch(() => undefined);
    if (one !== undefined) return one;
    await pause(1000);
  }
}

/** KubeOne was ended at its last task, which waits for every node, also for one that is dead. */
function wasEnded(): boolean {
  const logs = join(dirname(cluster.hostsDirectory()), 'builds');
  return readdirSync(logs)
    .filter((name) => name.startsWith('kubeloom-kubeone'))
    .some((name) => readFileSync(join(logs, name), 'utf8').includes('all nodes that are not left out are ready'));
}

/** Cuts the power of the node of the pool, and notes what follows in seconds. */
async function killAndWait(pool: string, what: string): Promise<void> {
  const [node] = await nodesOf(pool);
  if (node === undefined) throw new Error(`${pool} has no node`);
  await cluster.power('kill', node);
  const killed = Date.now();
  const replaced = await until(async () =>
    (await cluster.eventList()).find((event) => event.kind === 'NodeReplaced' && event.node === node.name),
  );
  const started = Math.round((Date.parse(replaced.at) - killed) / 1000);
  const ready = await until(async () => {
    const names = (await nodesOf(pool)).map(({ name }) => name).filter((name) => name !== node.name);
    if (names.length === 0) return undefined;
    const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
    const asked = await cluster.kubectl('get', 'node', names[0] ?? '', '-o', path);
    return asked === 'True' ? Date.now() : undefined;
  });
  Object.assign(figures, { [`${what}Start`]: started, [`${what}Ready`]: Math.round((ready - killed) / 1000) });
  Object.assign(figures, { [`${what}Load`]: loadavg()[0] });
  if (process.env.KUBELOOM_FIGURES) writeFileSync(process.env.KUBELOOM_FIGURES, JSON.stringify(figures, null, 2));
  expect(started).toBeGreaterThanOrEqual(afterSeconds);
  // No other check comes before hours: Kubernetes notices within 50 s, and the check that decides takes a minute.
  expect(started).toBeLessThanOrEqual(afterSeconds + 120);
  await until(async () => ((await nodesOf(pool)).some(({ name }) => name === node.name) ? undefined : true));
}

it('the agent runs, and calls the API of this machine over HTTPS', async () => {
  const ask = (path: string) =>
    cluster.kubectl('get', 'deployment', 'kubeloom-agent', '-n', 'kube-system', '-o', `jsonpath={${path}}`);
  await until(async () => ((await ask('.status.readyReplicas')) === '1' ? true : undefined));
  const address = await ask('.spec.template.spec.containers[0].env[?(@.name=="KUBELOOM_API_URL")].value');
  expect(address).toBe('https://192.0.2.1');
});

it('a machine that lost its power is replaced, from its agent on, and its node goes; KubeOne does not wait for the dead one', async () => {
  expect(wasEnded()).toBe(false);
  await killAndWait('compute-1', 'alone');
  expect(wasEnded()).toBe(true);
});

it('a machine is replaced as soon while another pool of the manifest has failed', async () => {
  const manifest = await healed();
  const faults = join(cluster.hostsDirectory(), 'faults');
  mkdirSync(faults, { recursive: true });
  writeFileSync(join(faults, 'more-*'), 'sold out');
  const [, like] = manifest.spec.nodePools.dynamic;
  if (like === undefined) throw new Error('there is no compute pool');
  manifest.spec.nodePools.dynamic.push({ ...like, name: 'more' });
  manifest.spec.kubernetes.clusters[0].pools.compute.push('more');
  await cluster.apply(manifest).catch(() => undefined);
  expect(['Failed', 'Degraded']).toContain((await cluster.manifest()).status);
  // Reports lead to no check within ten minutes of the last one: the next one is to be free to come when this machine needs it.
  await until(async () => {
    const { checkedAt } = (await cluster.cluster()).drift ?? {};
    return checkedAt !== undefined && Date.now() - Date.parse(checkedAt) > 330_000 ? true : undefined;
  });
  await killAndWait('compute-2', 'failed');
  rmSync(join(faults, 'more-*'));
});
