/**
 * A real cluster-autoscaler next to a real kube-apiserver asks pools in the order of their priorities and prices. No machine comes: what is asked
 * for is the proof. KUBELOOM_CLUSTER_AUTOSCALER names the program; without it nothing is tried, and the tests are reported as skipped.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentGroup } from '#contracts/agent.ts';
import { growthOrder } from '#domain/planning/desired/growth-order.ts';
import { aPool, pools } from '#test/agent/pools.ts';
import { applyAutoscaler, refusedIn, serveAgentApi, startPod } from './autoscaler-in-cluster.ts';
import { BareApiServer } from './bare-api-server.ts';

const program = process.env.KUBELOOM_CLUSTER_AUTOSCALER;
const priorities = { home: 100, dear: 50, cheap: 50, unknown: 50 };

/** Machines of each are the same; `monthlyPrice` is what the API answers. */
function pool(name: keyof typeof priorities, max: number, monthlyPrice?: number): AgentGroup {
  const labels = { 'claudie.io/nodepool': name, 'topology.kubernetes.io/region': name };
  const template = { labels, taints: [], capacity: { cpu: '2', memory: '4Gi' } };
  return aPool({
    pool: name,
    min: 0,
    max,
    size: 0,
    nodes: [],
    template,
    ...(monthlyPrice !== undefined && { monthlyPrice }),
  });
}

describe.skipIf(!program)('the order in which a real cluster-autoscaler asks for machines', () => {
  const cloud = pools(pool('unknown', 4), pool('dear', 4, 40), pool('cheap', 2, 10), pool('home', 1, 0));
  let server: BareApiServer;
  let log: string;
  const ended = new AbortController();
  let url: string;

  const order = (ranks: Readonly<Record<string, number>>) =>
    growthOrder(
      Object.entries(ranks).map(([name, priority]) => ({
        name,
        autoscaler: { min: 0, max: 4, priority, price: true },
      })),
    );
  async function applyOrder(ranks: Readonly<Record<string, number>>): Promise<string> {
    const { result, facts } = await applyAutoscaler(server, url, order(ranks));
    expect(result).toMatchObject({ ok: true });
    return facts.agent?.tokenHash ?? '';
  }

  beforeAll(async () => {
    server = await BareApiServer.start();
    const api = await serveAgentApi(cloud);
    url = api.url;
    ended.signal.addEventListener('abort', () => api.close());
    // The token of the agent that runs; each later one is for its next start.
    api.accept(await applyOrder(priorities));
    server.runNextToIt('kube-scheduler', ['--leader-elect=false', '--secure-port=0']);
    log = await startPod(server, program ?? '', ['--scan-interval=1s', '--v=5']);
  });
  afterAll(async () => {
    ended.abort();
    await server?.stop();
  });

  async function startPods(app: string, count: number): Promise<void> {
    const file = join(server.directory, `${app}.json`);
    const containers = [{ name: 'a', image: 'a', resources: { requests: { cpu: '1500m' } } }];
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, namespace: 'default', labels: { app } },
      spec: { containers },
    }));
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const env = { HOME: server.directory, KUBECONFIG: server.adminFile() };
    await promisify(execFile)(server.kubectl, ['apply', '--validate=false', `--filename=${file}`], { env });
  }
  const sizes = () => Object.keys(priorities).map((name) => cloud.find(name).size);
  async function untilAsked(total: number): Promise<void> {
    while (sizes().reduce((sum, size) => sum + size, 0) < total) await pause(200);
  }

  it('home is filled first, then the cheapest other pool, then the dear one, and that without a known price last', async () => {
    await startPods('web', 8);
    await untilAsked(8);
    expect([...new Set(cloud.asked.map((one) => one.pool))]).toEqual(['home', 'cheap', 'dear', 'unknown']);
    expect(sizes()).toEqual([1, 4, 2, 1]);
  });

  it('other priorities are followed without a restart', async () => {
    await applyOrder({ ...priorities, unknown: 200 });
    await startPods('more', 1);
    await untilAsked(9);
    expect(sizes()).toEqual([1, 4, 2, 2]);
  });

  it('the autoscaler was refused nothing with the rights of its ServiceAccount', () => {
    expect(refusedIn(log)).toEqual([]);
  });
});
