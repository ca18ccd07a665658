/**
 * Machines that lose their power in a real cluster on local hosts, whose agent reports it: how long it takes until the replacement starts, and
 * until it is ready; the same while another pool of the manifest has failed. Not part of CI: half an hour. KUBELOOM_FIGURES names a file for
 * the seconds.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newest } from '#local/kubernetes/versions.ts';
import { agentPort, type OwnSite, startSite } from './own-site.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

const reference = { namespace: 'default', name: 'ours' };
const afterSeconds = 300;
const site: { current?: OwnSite } = {};
const figures: Record<string, number | undefined> = {};

/** One control node and two pools of a node each, whose nodes are replaced. */
async function healed(): Promise<Manifest> {
  const manifest = await two(newest);
  const { nodePools, kubernetes, loadBalancers } = manifest.spec;
  const repair = { onUnhealthy: 'replace', after: '5m', startAfter: '5m' };
  nodePools.dynamic = nodePools.dynamic
    .filter(({ name }) => name !== 'balancer')
    .map((pool) => (pool.name === 'control' ? pool : { ...pool, repair }));
  Object.assign(kubernetes.clusters[0], {
    documents: [{ name: 'kubeloom-agent', templatesRef: { name: reference.name } }],
  });
  Object.assign(loadBalancers, { roles: [], clusters: [] });
  return manifest;
}

beforeAll(async () => {
  site.current = await startSite(undefined, newest, []);
});
afterAll(() => site.current?.close());
const cluster = realCluster(healed, async (api) => {
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

async function until<Found>(found: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const one = await found().catch(() => undefined);
    if (one !== undefined) return one;
    await pause(1000);
  }
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
  await until(async () => ((await nodesOf(pool)).some(({ name }) => name === node.name) ? undefined : true));
}

it('the agent reports, out of the repository and the registry of the site', async () => {
  const [control] = await nodesOf('control');
  if (control === undefined || site.current === undefined) throw new Error('there is no control node');
  await cluster.forward(control, agentPort, await site.current.serve(cluster.apiUrl()));
  await until(async () => {
    const path = 'jsonpath={.status.readyReplicas}';
    const ready = await cluster.kubectl('get', 'deployment', 'kubeloom-agent', '-n', 'kube-system', '-o', path);
    return ready === '1' ? true : undefined;
  });
});

it('a machine that lost its power is replaced, from its agent on, and its node goes', () =>
  killAndWait('compute-1', 'alone'));

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
  await killAndWait('compute-2', 'failed');
  rmSync(join(faults, 'more-*'));
});
