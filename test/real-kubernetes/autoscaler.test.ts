/**
 * The documents `autoscaler` in a real kube-apiserver, with a real cluster-autoscaler and scheduler. Machines are Node objects that the
 * test makes as the API asks for them. KUBELOOM_CLUSTER_AUTOSCALER names the program; without it only the documents are tried.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instanceId } from '#agent/group-answers.ts';
import type { AgentGroup, AgentHealth } from '#contracts/agent.ts';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { aPool, pools } from '#test/agent/pools.ts';
import { servingRequest } from '#test/kubernetes/certificates-contract.ts';
import { applyAutoscaler, refusedIn, serveAgentApi, startNodeAgent, startPod } from './autoscaler-in-cluster.ts';
import { BareApiServer } from './bare-api-server.ts';

const program = process.env.KUBELOOM_CLUSTER_AUTOSCALER;
const run = promisify(execFile);

const cloud = pools(
  aPool({ pool: 'small', min: 0, max: 4, size: 0, nodes: [] }),
  aPool({
    pool: 'large',
    min: 0,
    max: 4,
    size: 0,
    nodes: [],
    template: { labels: { 'claudie.io/nodepool': 'large' }, taints: [], capacity: { cpu: '8', memory: '16Gi' } },
  }),
  // Pods come to these only when they name them.
  ...['even-1', 'even-2'].map((pool) => ownPool(pool, 'even', { cpu: '2', memory: '4Gi' })),
  ownPool('gpus', 'gpu', { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1' }),
);

/** A pool as the API shows it, in a region of its own. */
function ownPool(pool: string, kind: string, capacity: Readonly<Record<string, string>>): AgentGroup {
  const gpu: Record<string, string> = 'nvidia.com/gpu' in capacity ? { 'nvidia.com/gpu.present': 'true' } : {};
  const labels = { 'claudie.io/nodepool': pool, 'topology.kubernetes.io/region': pool, kind, ...gpu };
  const taints = [{ key: 'kind', value: kind, effect: 'NoSchedule' as const }];
  return aPool({ pool, min: 0, max: 4, size: 0, nodes: [], template: { labels, taints, capacity } });
}

let server: BareApiServer;
let log: string;
let apiUrl: string;
const reports: AgentHealth[] = [];
const ended = new AbortController();
/** With the reason, once no more machines are made. */
const failed = new AbortController();
/** Pools that the provider has no machines for. */
const soldOut = new Set<string>();

beforeAll(async () => {
  server = await BareApiServer.start();
  const report = async (health: AgentHealth) => {
    reports.push(health);
    return [{ name: 'known', addresses: ['192.168.2.3'] }];
  };
  const api = await serveAgentApi({ groups: cloud.groups, resize: cloud.resize, report });
  apiUrl = api.url;
  ended.signal.addEventListener('abort', () => api.close());
  const { result, facts } = await applyAutoscaler(server, api.url);
  expect(result).toMatchObject({ ok: true, summary: { documentsApplied: 2 } });
  api.accept(facts.agent?.tokenHash ?? '');
});
afterAll(async () => {
  ended.abort();
  await server?.stop();
});

it('the API server takes the documents as they are rendered, with the program of the agent', async () => {
  const names = await kubectl(
    'get',
    'deployments,configmaps,secrets,clusterroles',
    '-A',
    '-l',
    'kubeloom.dev/documents in (autoscaler,kubeloom-agent)',
    '-o',
    'name',
  );
  expect(names.trim().split('\n').sort()).toEqual([
    'clusterrole.rbac.authorization.k8s.io/kubeloom-agent',
    'clusterrole.rbac.authorization.k8s.io/kubeloom-autoscaler',
    'configmap/kubeloom-agent',
    'configmap/kubeloom-autoscaler',
    'deployment.apps/cluster-autoscaler',
    'deployment.apps/kubeloom-agent',
    'secret/kubeloom-agent',
  ]);
});

describe.skipIf(!program)('a real cluster-autoscaler', () => {
  beforeAll(async () => {
    server.runNextToIt('kube-scheduler', ['--leader-elect=false', '--secure-port=0']);
    log = await startPod(server, program ?? '', [
      ...['--scan-interval=1s', '--scale-down-unneeded-time=3s', '--initial-node-group-backoff-duration=10m'],
      ...['--scale-down-delay-after-add=1s', '--scale-down-delay-after-delete=1s', '--max-node-provision-time=1m'],
    ]);
    makeMachines().catch((error: unknown) => failed.abort(error));
  });

  it('pods that wait make an empty pool grow by exactly what they need, and they are bound', async () => {
    await startPods('web', 3, '1500m');

    await until(async () => (await boundPods('web')) === 3);
    expect(cloud.find('small')).toMatchObject({ size: 3 });
    expect(cloud.find('large')).toMatchObject({ size: 0 });
  });

  it('nodes that are empty leave, down to the smallest size of their pool', async () => {
    cloud.change('small', { min: 1 });
    await kubectl('delete', 'pods', '--selector=app=web', '--force', '--grace-period=0');

    await until(async () => cloud.find('small').size === 1);
    await pause(8_000);
    expect(cloud.find('small').nodes.map(({ state }) => state)).toEqual(['running']);
  });

  it('a pool whose provider is sold out is skipped, and another one grows', async () => {
    soldOut.add('small');
    await startPods('more', 3, '1500m');

    await until(async () => (await boundPods('more')) === 3);
    expect(cloud.find('small')).toMatchObject({ size: 1 });
    expect(cloud.find('large').size).toBeGreaterThan(0);
  });

  it('pools of the same machines grow evenly, in whatever region they are', async () => {
    await startPods('pair', 4, '1500m', 'even');

    await until(async () => (await boundPods('pair')) === 4);
    expect(['even-1', 'even-2'].map((pool) => cloud.find(pool).size)).toEqual([2, 2]);
  });

  it('pods that ask for GPUs get as many nodes as they need, whose GPUs are not there at once', async () => {
    await startPods('model', 2, '100m', 'gpu', { 'nvidia.com/gpu': '1' });

    await until(async () => cloud.find('gpus').nodes.length === 2);
    expect(await boundPods('model')).toBe(0);
    // The autoscaler waits for them, and asks for no third node.
    await pause(8_000);
    expect(cloud.find('gpus')).toMatchObject({ size: 2 });
    for (const { name } of cloud.find('gpus').nodes)
      await setCapacity(name, { ...cloud.find('gpus').template.capacity });
    await until(async () => (await boundPods('model')) === 2);
  });

  it('the agent reports the nodes, and approves the certificate of a known node and of no other, with its own rights', async () => {
    for (const [name, who, names] of [
      ['known', 'known', 'DNS:known,IP:192.168.2.3'],
      ['greedy', 'known', 'DNS:known,DNS:kubernetes'],
      ['stranger', 'evil', 'DNS:evil'],
    ] as const) {
      const file = join(server.directory, 'request.json');
      writeFileSync(file, JSON.stringify(servingRequest(server.directory, { name, who, names })));
      const as = [`--as=system:node:${who}`, '--as-group=system:nodes', '--as-group=system:authenticated'];
      await kubectl('create', '--validate=false', `--filename=${file}`, ...as);
    }
    await startNodeAgent(server, apiUrl);
    const conditions = (name: string) => kubectl('get', 'csr', name, '--output=jsonpath={.status.conditions[*].type}');
    await until(async () => (await conditions('known')) === 'Approved');
    expect(await conditions('greedy')).toBe('');
    expect(await conditions('stranger')).toBe('');
    const names = (await kubectl('get', 'nodes', '--output=jsonpath={.items[*].metadata.name}')).split(' ');
    expect(reports[0]?.nodes.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(reports[0]?.nodes[0]).toMatchObject({ ready: 'True', allocatable: { cpu: expect.any(String) } });
  });

  it('the autoscaler was refused nothing with the rights of its ServiceAccount', () => {
    expect(refusedIn(log)).toEqual([]);
  });
});

/** Plays the part of the pipeline: machines come and go as the API was asked. */
async function makeMachines(): Promise<void> {
  const named: string[] = [];
  while (!ended.signal.aborted) {
    for (const { pool } of await cloud.groups()) {
      const group = cloud.find(pool);
      for (const { name } of group.nodes.filter(({ state }) => state === 'deleting'))
        await kubectl('delete', 'node', name);
      const nodes = group.nodes.filter(({ state }) => state !== 'deleting');
      if (group.size > nodes.length && soldOut.has(pool)) {
        const failure = { count: group.size, outOfResources: true, code: 'OutOfCapacity', message: 'sold out' };
        cloud.change(pool, { nodes, size: nodes.length, failure });
        continue;
      }
      const added = Array.from(
        { length: group.size - nodes.length },
        (_, index) => `${pool}-${String(named.length + index + 1).padStart(2, '0')}`,
      );
      named.push(...added);
      for (const name of added) await makeNode(name, group);
      if (cloud.find(pool).size === group.size)
        cloud.change(pool, { nodes: [...nodes, ...added.map((name) => ({ name, state: 'running' as const }))] });
    }
    await pause(300);
  }
}

async function makeNode(name: string, { template }: AgentGroup): Promise<void> {
  // What a device plugin reports comes later.
  const { 'nvidia.com/gpu': _, ...capacity } = template.capacity;
  const labels = { ...template.labels, 'kubernetes.io/hostname': name };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { providerID: instanceId(name) } };
  await apply(node);
  // The controllers that would take the first taint away do not run here.
  const own = JSON.stringify({ spec: { taints: template.taints } });
  await kubectl('patch', 'node', name, '--type=merge', `--patch=${own}`);
  await setCapacity(name, capacity);
}

async function setCapacity(name: string, resources: Readonly<Record<string, string>>): Promise<void> {
  const capacity = { ...resources, pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
  const status = JSON.stringify({ status: { capacity, allocatable: capacity, conditions } });
  await kubectl('patch', 'node', name, '--subresource=status', '--type=merge', `--patch=${status}`);
}

/** `kind`: of the nodes that they may run on. @default those without a taint */
async function startPods(
  app: string,
  count: number,
  cpu: string,
  kind?: string,
  limits: Readonly<Record<string, string>> = {},
): Promise<void> {
  const place = kind && { nodeSelector: { kind }, tolerations: [{ key: 'kind', operator: 'Exists' }] };

  for (let index = 0; index < count; index += 1) {
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, namespace: 'default', labels: { app } },
      spec: { ...place, containers: [{ name: 'a', image: 'a', resources: { requests: { cpu }, limits } }] },
    });
  }
}

async function boundPods(app: string): Promise<number> {
  const names = await kubectl('get', 'pods', `--selector=app=${app}`, '--output=jsonpath={.items[*].spec.nodeName}');
  return names.split(' ').filter(Boolean).length;
}

async function apply(object: KubernetesObject): Promise<void> {
  const file = join(server.directory, `${object.metadata.name}.json`);
  writeFileSync(file, JSON.stringify(object));
  await kubectl('apply', '--validate=false', `--filename=${file}`);
}

async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run(server.kubectl, args, {
    env: { HOME: server.directory, KUBECONFIG: server.adminFile() },
  });
  return stdout;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(500, undefined, { signal: failed.signal });
}
