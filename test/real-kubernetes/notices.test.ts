/**
 * A notice of a cloud in a real kube-apiserver with NodeRestriction: the documents, the agent and the reader of notices as they are applied,
 * a metadata service on the loopback, and a kubelet of the test that does what a kubelet does with the last words of a container.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentHealth } from '#contracts/agent.ts';
import { builtinDocument } from '#domain/cluster-documents.ts';
import { azureEvent, type MetadataServer, metadataServer } from '#test/agent/notices/metadata-server.ts';
import { serveAgentApi } from './autoscaler-in-cluster.ts';
import { BareApiServer } from './bare-api-server.ts';
import { applyBuiltin } from './built-in-documents.ts';
import { NoticeKubelet, noticePodStatus, systemPodsPath } from './notice-kubelet.ts';

const run = promisify(execFile);
const [node, other] = ['work-bbbbbbb-01', 'work-bbbbbbb-02'] as const;
const reports: { readonly at: number; readonly health: AgentHealth }[] = [];
const ended = new AbortController();
let server: BareApiServer;
let metadata: MetadataServer;
let kubelet: NoticeKubelet;

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(server.kubectl, [`--kubeconfig=${server.adminFile()}`, ...args], {
    maxBuffer: 20_000_000,
  });
  return stdout;
}

/** With a token, without the time that a process of kubectl takes to start. */
async function ask(
  method: string,
  path: string,
  body?: object,
  as?: string,
): Promise<{ status: number; json: unknown }> {
  const impersonated: readonly [string, string][] = as
    ? [
        ['impersonate-user', `system:node:${as}`],
        ['impersonate-group', 'system:nodes'],
        ['impersonate-group', 'system:authenticated'],
      ]
    : [];
  const headers = [
    'authorization: Bearer test-admin',
    'content-type: application/strategic-merge-patch+json',
    ...impersonated.map(([key, value]) => `${key}: ${value}`),
  ];
  const { stdout } = await run('curl', [
    '--silent',
    '--cacert',
    join(server.directory, 'certificates', 'apiserver.crt'),
    '--request',
    method,
    ...headers.flatMap((header) => ['--header', header]),
    ...(body ? ['--data', JSON.stringify(body)] : []),
    '--write-out',
    '\n%{http_code}',
    `${server.url}${path}`,
  ]);
  const at = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(at + 1)), json: JSON.parse(stdout.slice(0, at) || 'null') };
}

interface DaemonSet {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly template: {
      readonly metadata: object;
      readonly spec: { readonly containers: readonly { readonly env: readonly { name: string; value: string }[] }[] };
    };
  };
}

beforeAll(async () => {
  server = await BareApiServer.start();
  metadata = await metadataServer();
  const report = async (health: AgentHealth) => {
    reports.push({ at: performance.now(), health });
    return [];
  };
  const api = await serveAgentApi({
    groups: async () => [],
    resize: async () => {
      throw new Error('nothing is scaled');
    },
    report,
  });
  ended.signal.addEventListener('abort', () => api.close());
  const values = { api: api.url, ca: '', proxy: '', noProxy: '', cloud: ['azure'], acting: ['notices'], notices: 'on' };
  const { result, facts } = await applyBuiltin(server, [builtinDocument('kubeloom-agent', values)]);
  expect(result).toMatchObject({ ok: true });
  api.accept(facts.agent?.tokenHash ?? '');
  for (const name of [node, other]) {
    const labels = { 'claudie.io/provider': 'azure' };
    await created({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
    await kubectl('taint', 'node', name, 'own=kept:NoSchedule');
  }
  await startReader();
  await startAgent(api.url);
}, 240_000);
afterAll(async () => {
  ended.abort();
  kubelet?.stop();
  await metadata?.close();
  await server?.stop();
});

async function created(object: object): Promise<void> {
  const file = join(server.directory, 'object.json');
  writeFileSync(file, JSON.stringify(object));
  await kubectl('create', `--filename=${file}`);
}

async function startReader(): Promise<void> {
  const found: DaemonSet = JSON.parse(
    await kubectl('--namespace=kube-system', 'get', 'daemonset', 'kubeloom-notices-azure', '--output=json'),
  );
  const { template } = found.spec;
  expect(template.spec).toMatchObject({ automountServiceAccountToken: false, hostNetwork: true });
  expect(JSON.stringify(template.spec)).not.toMatch(/serviceAccountToken|secretName/);
  const { name: owner, uid } = found.metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: owner, uid, controller: true }];
  for (const nodeName of [node, other]) {
    const name = `notices-${nodeName}`;
    const spec = { ...template.spec, nodeName };
    await created({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name, namespace: 'kube-system', ownerReferences },
      spec,
    });
    expect((await ask('PATCH', `${systemPodsPath}/${name}/status`, noticePodStatus(undefined), nodeName)).status).toBe(
      200,
    );
  }
  const program = join(server.directory, 'agent.mjs');
  writeFileSync(
    program,
    await kubectl(
      '--namespace=kube-system',
      'get',
      'configmap',
      'kubeloom-agent',
      '--output=jsonpath={.data.agent\\.mjs}',
    ),
  );
  const directory = join(server.directory, 'said');
  mkdirSync(directory);
  const environment = Object.fromEntries(
    (template.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]),
  );
  expect(environment.KUBELOOM_METADATA_URL).toBe('http://169.254.169.254');
  kubelet = new NoticeKubelet(
    `notices-${node}`,
    {
      ...environment,
      KUBELOOM_METADATA_URL: metadata.base,
      KUBELOOM_NOTICES_DIRECTORY: directory,
      KUBELOOM_LAST_WORDS: join(server.directory, 'last-words'),
    },
    (path, body) => ask('PATCH', path, body, node),
  );
  void kubelet.keepRunning(program);
}

async function startAgent(api: string): Promise<void> {
  const account = join(server.directory, 'account-token');
  writeFileSync(account, await kubectl('--namespace=kube-system', 'create', 'token', 'kubeloom-agent'));
  const secret = await kubectl(
    '--namespace=kube-system',
    'get',
    'secret',
    'kubeloom-agent',
    '--output=jsonpath={.data.token}',
  );
  const token = join(server.directory, 'token');
  writeFileSync(token, Buffer.from(secret, 'base64').toString());
  server.runProgram(process.execPath, [join(server.directory, 'agent.mjs')], {
    KUBELOOM_API_URL: api,
    KUBELOOM_AGENT_TOKEN_FILE: token,
    KUBELOOM_NOTICES: 'on',
    KUBELOOM_KUBERNETES_URL: server.url,
    KUBELOOM_KUBERNETES_TOKEN_FILE: account,
    NODE_EXTRA_CA_CERTS: join(server.directory, 'certificates', 'apiserver.crt'),
  });
  await until(async () => reports.length > 0);
}

/** Milliseconds until it is so, some tens more than that. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  while (!(await isSo())) {
    if (performance.now() - start > 60_000) throw new Error('it is not so within a minute');
    await pause(50);
  }
  return performance.now() - start;
}

async function taintsOf(name: string): Promise<readonly string[]> {
  const { json } = await ask('GET', `/api/v1/nodes/${name}`);
  const { taints = [] } = (json as { spec: { taints?: { key: string; value: string }[] } }).spec;
  // Those of Kubernetes: there are no kubelets.
  const set = taints.filter(({ key }) => !key.startsWith('node.kubernetes.io/'));
  return set.map(({ key, value }) => `${key}=${value}`).sort();
}

/** A pod of a user's, on the node of the notices. */
async function workload(name: string, metadata: object = {}): Promise<void> {
  const containers = [{ name: 'web', image: 'web' }];
  const labels = { app: name };
  const spec = { nodeName: node, terminationGracePeriodSeconds: 0, containers };
  await created({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels, ...metadata }, spec });
  // A budget holds no pod that does not run yet.
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expect((await ask('PATCH', `/api/v1/namespaces/default/pods/${name}/status`, { status }, node)).status).toBe(200);
}

const podNames = async (): Promise<string> =>
  kubectl('get', 'pods', '--namespace=default', '--output=jsonpath={.items[*].metadata.name}');

const setName = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web',
  uid: '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61',
  controller: true,
};

it('a notice marks the node, moves its pods off as far as budgets allow, and is reported, within five seconds', async () => {
  for (const name of ['web-1', 'web-2']) await workload(name, { ownerReferences: [setName] });
  await workload('held', { ownerReferences: [setName] });
  await created({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'held', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'held' } } },
  });
  const start = performance.now();
  metadata.announced.azure = [azureEvent('Preempt', { NotBefore: new Date(Date.now() + 60_000).toUTCString() })];
  await until(async () => (await taintsOf(node)).includes('kubeloom.dev/notice=ends'));
  const marked = performance.now() - start;
  await until(async () => (await podNames()) === 'held');
  const drained = performance.now() - start;
  const isReported = ({ health }: (typeof reports)[number]) =>
    health.nodes.some(({ notice }) => notice?.kind === 'ends');
  await until(async () => reports.some(isReported));
  const reported = (reports.find(isReported)?.at ?? 0) - start;
  process.stdout.write(
    `notice: marked ${marked.toFixed(0)} ms, drained ${drained.toFixed(0)} ms, reported ${reported.toFixed(0)} ms\n`,
  );
  expect(marked).toBeLessThan(5000);
  expect(reported).toBeLessThan(5000);
  expect(await taintsOf(node)).toEqual(['kubeloom.dev/notice=ends', 'own=kept']);
  expect(await taintsOf(other)).toEqual(['own=kept']);
  await kubectl('delete', 'poddisruptionbudget', 'held');
  await until(async () => (await podNames()) === '');
}, 120_000);

it('a notice that is over gives the node back, with the taint of its user', async () => {
  metadata.announced.azure = [];
  await until(async () => (await taintsOf(node)).length === 1);
  expect(await taintsOf(node)).toEqual(['own=kept']);
  await until(async () => reports.at(-1)?.health.nodes.every(({ notice }) => notice === undefined) === true);
}, 120_000);

it('a kubelet may say something about its own node only, and may not set the taint', async () => {
  const lie = noticePodStatus('{"kind":"ends"}');
  expect((await ask('PATCH', `${systemPodsPath}/notices-${other}/status`, lie, node)).status).toBe(403);
  const taint = { spec: { taints: [{ key: 'kubeloom.dev/notice', value: 'ends', effect: 'NoSchedule' }] } };
  for (const name of [node, other]) expect((await ask('PATCH', `/api/v1/nodes/${name}`, taint, node)).status).toBe(403);
  expect(await taintsOf(other)).toEqual(['own=kept']);
});
