/**
 * The agent with a real cluster-autoscaler, kube-apiserver and scheduler. Machines are Node objects that the test makes as the
 * API asks for them. KUBELOOM_CLUSTER_AUTOSCALER names the program; without it the test says that it did not run.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { autoscalerAnswers, serveAutoscaler } from '#agent/autoscaler-service.ts';
import { instanceId } from '#agent/group-answers.ts';
import type { AgentGroup } from '#contracts/agent.ts';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { aPool, pools } from '#test/agent/pools.ts';
import { BareApiServer } from './bare-api-server.ts';

const program = process.env.KUBELOOM_CLUSTER_AUTOSCALER;
const run = promisify(execFile);

const cloud = pools(
  aPool({ pool: 'small', min: 0, max: 4, size: 0, nodes: [] }),
  aPool({
    ...{ pool: 'large', min: 0, max: 4, size: 0, nodes: [] },
    template: { labels: { 'claudie.io/nodepool': 'large' }, taints: [], capacity: { cpu: '8', memory: '16Gi' } },
  }),
);

let server: BareApiServer;
const ended = new AbortController();
/** With the reason, once no more machines are made. */
const failed = new AbortController();
/** Pools that the provider has no machines for. */
const soldOut = new Set<string>();

describe.skipIf(!program)('a real cluster-autoscaler', () => {
  beforeAll(async () => {
    server = await BareApiServer.start();
    server.runNextToIt('kube-scheduler', ['--leader-elect=false', '--secure-port=0']);
    const served = await serveAutoscaler(autoscalerAnswers(cloud), '127.0.0.1:0');
    ended.signal.addEventListener('abort', () => served.close());
    const config = join(server.directory, 'autoscaler.yaml');
    writeFileSync(config, `address: "127.0.0.1:${served.port}"\n`);
    await kubectl('create', 'namespace', 'kube-system').catch(() => {});
    server.runNextToIt(program ?? '', [
      ...['--cloud-provider=externalgrpc', `--cloud-config=${config}`, '--leader-elect=false', '--address=127.0.0.1:0'],
      ...['--scan-interval=1s', '--expander=least-waste', '--scale-down-unneeded-time=3s'],
      ...['--scale-down-delay-after-add=1s', '--scale-down-delay-after-delete=1s', '--max-node-provision-time=1m'],
      ...[
        '--initial-node-group-backoff-duration=10m',
        '--v=4',
        '--logtostderr=false',
        `--log-file=${join(server.directory, 'autoscaler.log')}`,
      ],
    ]);
    makeMachines().catch((error: unknown) => failed.abort(error));
  });
  afterAll(async () => {
    ended.abort();
    await server?.stop();
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

  it('a pool whose provider is sold out is passed over, and another one grows', async () => {
    soldOut.add('small');
    await startPods('more', 3, '1500m');

    await until(async () => (await boundPods('more')) === 3);
    expect(cloud.find('small')).toMatchObject({ size: 1 });
    expect(cloud.find('large').size).toBeGreaterThan(0);
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
  const capacity = { ...template.capacity, pods: '110' };
  const labels = { ...template.labels, 'kubernetes.io/hostname': name };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { providerID: instanceId(name) } };
  await apply(node);
  // The controllers that would take the first taint away do not run here.
  await kubectl('patch', 'node', name, '--type=merge', '--patch={"spec":{"taints":null}}');
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
  const status = JSON.stringify({ status: { capacity, allocatable: capacity, conditions } });
  await kubectl('patch', 'node', name, '--subresource=status', '--type=merge', `--patch=${status}`);
}

async function startPods(app: string, count: number, cpu: string): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, namespace: 'default', labels: { app } },
      spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu } } }] },
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
