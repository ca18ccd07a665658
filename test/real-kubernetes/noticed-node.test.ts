/**
 * A notice of a cloud to a host of a real cluster, whose kubelet passes it on: marked, drained, reported, replaced. Hosts of this machine have no
 * metadata service: one of a test answers on the loopback of the host, and the documents are those of a cluster with nodes of AWS.
 * KUBELOOM_FIGURES names a file for the seconds that it took.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { NodeRow } from '#contracts/api-bodies.ts';
import { agentImage } from '#local/kubernetes/agent-images.ts';
import { newest } from '#local/kubernetes/versions.ts';
import { metadataServer } from '#test/agent/notices/metadata-server.ts';
import { type Manifest, realCluster, two } from './real-cluster.ts';

const metadataPort = 8169;

/** One control node and two pools of a node each, whose nodes are replaced. */
async function noticed(): Promise<Manifest> {
  const manifest = await two(newest);
  const { nodePools, loadBalancers } = manifest.spec;
  const repair = { onUnhealthy: 'replace', after: '30m', startAfter: '30m' };
  nodePools.dynamic = nodePools.dynamic
    .filter(({ name }) => name !== 'balancer')
    .map((pool) => (pool.name === 'control' ? pool : { ...pool, repair }));
  Object.assign(loadBalancers, { roles: [], clusters: [] });
  return manifest;
}

const cluster = realCluster(noticed);
const nodesOf = async (pool: string) => (await cluster.cluster()).nodes.filter((node) => node.pool === pool);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await pause(100);
}

interface Workload {
  readonly kind: string;
  readonly spec?: {
    readonly template: {
      readonly spec: {
        nodeSelector: object;
        readonly containers: { image: string; env: { name: string; value: string }[] }[];
      };
    };
  };
}

/** What clusters with nodes of AWS have for notices, for this node. */
function documentsFor({ name }: NodeRow): readonly Workload[] {
  const values: Readonly<Record<string, string>> = { cloud: 'aws', acting: 'notices', agentHash: 'of-the-test' };
  const folder = '../../templates/kubernetes/kubeloom-agent';
  return ['each-cloud/notices.yaml', 'each-acting/notice-rights.yaml'].flatMap((file) => {
    const text = readFileSync(new URL(`${folder}/${file}`, import.meta.url), 'utf8');
    const objects = parseAllDocuments(text.replace(/\$\{(\w+)\}/g, (_, key: string) => values[key] ?? '')).map(
      (document): Workload => document.toJS(),
    );
    for (const { spec } of objects.filter(({ kind }) => kind === 'DaemonSet')) {
      const pod = spec?.template.spec;
      Object.assign(pod ?? {}, { nodeSelector: { 'kubernetes.io/hostname': name } });
      for (const container of pod?.containers ?? []) {
        container.image = agentImage;
        const url = container.env.find((variable) => variable.name === 'KUBELOOM_METADATA_URL');
        Object.assign(url ?? {}, { value: `http://127.0.0.1:${metadataPort}` });
      }
    }
    return objects;
  });
}

it('a notice marks the node, its pods leave, and its machine is replaced, without waiting for the pool to call it unhealthy', async () => {
  const metadata = await metadataServer();
  const [node] = await nodesOf('compute-1');
  if (node === undefined) throw new Error('compute-1 has no node');
  await cluster.forward(node, metadataPort, Number(new URL(metadata.base).port));
  await cluster.kubectl('set', 'env', 'deployment/kubeloom-agent', '-n', 'kube-system', 'KUBELOOM_NOTICES=on');
  await cluster.applyObjects({ apiVersion: 'v1', kind: 'List', items: documentsFor(node) });
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const labels = { app: 'web' };
  const containers = [{ name: 'a', image: 'registry.k8s.io/e2e-test-images/agnhost:2', args: ['pause'] }];
  const template = {
    metadata: { labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels } }],
      containers,
    },
  };
  await cluster.applyObjects({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  const running = async (on: string): Promise<number> => {
    const asked = [
      'get',
      'pods',
      '-l',
      'app=web',
      '--field-selector',
      `spec.nodeName=${on},status.phase=Running`,
      '-o',
      'name',
    ];
    return (await cluster.kubectl(...asked)).split('\n').filter(Boolean).length;
  };
  await until(async () => (await running(node.name)) === 1);
  for (const one of ['deployment/kubeloom-agent', 'daemonset/kubeloom-notices-aws'])
    await cluster.kubectl('rollout', 'status', one, '-n', 'kube-system', '--timeout=240s');
  const since = Date.now();
  const figures: Record<string, number | undefined> = {};
  const note = (name: string, at = Date.now()): void => {
    figures[name] = Math.round((at - since) / 100) / 10;
  };
  const time = new Date(since + 120_000).toISOString().replace(/\.\d+/, '');
  metadata.announced.aws = { action: { action: 'terminate', time }, maintenance: [] };
  const taints = ['get', 'node', node.name, '-o', 'jsonpath={.spec.taints[*].value}'];
  await until(async () => (await cluster.kubectl(...taints)).includes('ends'));
  note('marked');
  await until(async () => (await running(node.name)) === 0);
  note('drained');
  const eventOf = async (kind: string) =>
    (await cluster.eventList()).find((event) => event.kind === kind && event.node === node.name);
  await until(async () => (await eventOf('NodeReplaced')) !== undefined);
  note('reported', Date.parse((await eventOf('NoticeReceived'))?.at ?? ''));
  note('replacementAskedFor', Date.parse((await eventOf('NodeReplaced'))?.at ?? ''));
  await until(async () => {
    const nodes = await nodesOf('compute-1');
    return nodes.length === 1 && nodes[0]?.name !== node.name;
  });
  note('replaced');
  figures.load = loadavg()[0];
  if (process.env.KUBELOOM_FIGURES) writeFileSync(process.env.KUBELOOM_FIGURES, JSON.stringify(figures, null, 2));
  const [replacement] = await nodesOf('compute-1');
  expect((await running(replacement?.name ?? '')) + (await running((await nodesOf('compute-2'))[0]?.name ?? ''))).toBe(
    2,
  );
  await metadata.close();
});
