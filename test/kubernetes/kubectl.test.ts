/** The real kubectl against the simulated API server: what the pipeline and people do with it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Output, SimulatedCluster } from './simulated-cluster.ts';

let cluster: SimulatedCluster;
const kubectl = (...args: readonly string[]): Promise<Output> => cluster.kubectl('first', ...args);
const apply = (document: object, ...args: readonly string[]): Promise<Output> =>
  cluster.kubectlWith(JSON.stringify(document), 'first', 'apply', '-f', '-', ...args);

beforeAll(async () => {
  cluster = await SimulatedCluster.start('first');
});
afterAll(() => cluster.stop());

describe('nodes', () => {
  test('nodes appear as their kubelets report, Ready, with role and version', async () => {
    await cluster.heartbeat('first', 'control-1', { control: true });
    await cluster.heartbeat('first', 'worker-2');
    const { stdout } = await kubectl('get', 'nodes', '--no-headers');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ['control-1', 'Ready', 'control-plane', expect.stringMatching(/^\d+s$/), 'v1.34.1'],
      ['worker-2', 'Ready', '<none>', expect.stringMatching(/^\d+s$/), 'v1.34.1'],
    ]);
  });

  test('nodes take labels, annotations, taints and provider ids, and lose them again', async () => {
    await kubectl('label', 'node', 'worker-2', 'claudie.io/nodepool=shop', 'extra=1');
    await kubectl('annotate', 'node', 'worker-2', 'note=hello');
    await kubectl('taint', 'node', 'worker-2', 'spot=true:NoSchedule');
    await kubectl('patch', 'node', 'worker-2', '-p', '{"spec":{"providerID":"kubeloom://worker-2"}}');
    expect(await jsonpath('{.metadata.labels.claudie\\.io/nodepool} {.metadata.annotations.note} {.spec}')).toBe(
      'shop hello {"providerID":"kubeloom://worker-2","taints":[{"effect":"NoSchedule","key":"spot","value":"true"}]}',
    );
    await kubectl('taint', 'node', 'worker-2', 'spot-');
    await kubectl('label', 'node', 'worker-2', 'extra-');
    expect(await jsonpath('{.spec} {.metadata.labels.extra}')).toBe('{"providerID":"kubeloom://worker-2"} ');
  });

  test.each([
    ['json', '[{"op":"add","path":"/metadata/labels/by~1json","value":"yes"}]', 'by/json'],
    ['merge', '{"metadata":{"labels":{"by/merge":"yes"}}}', 'by/merge'],
    ['strategic', '{"metadata":{"labels":{"by/strategic":"yes"}}}', 'by/strategic'],
  ])('nodes are patched by a %s patch', async (type, patch, label) => {
    expect((await kubectl('patch', 'node', 'worker-2', '--type', type, '-p', patch)).code).toBe(0);
    expect((await kubectl('get', 'nodes', '-l', `${label}=yes`, '-o', 'name')).stdout).toBe('node/worker-2\n');
  });

  test('nodes with fields that a real API server refuses are refused', async () => {
    const label = await patch({ metadata: { labels: { pool: 'Not Allowed!' } } });
    expect(label.stderr).toContain('Node "worker-2" is invalid: metadata.labels: "Not Allowed!"');
    const taint = await patch({ spec: { taints: [{ key: 'a', effect: 'Never' }] } });
    expect(taint.stderr).toContain('unknown effect "Never"');
    const stale = await patch({ metadata: { resourceVersion: '1', labels: { a: 'b' } } });
    expect(stale.stderr).toContain('has been changed; read it again');
  });

  test('nodes are cordoned, drained by eviction, and uncordoned', async () => {
    await apply(pod('shop', 'worker-2'));
    await apply(pod('elsewhere', 'control-1'));
    const drained = await kubectl('drain', 'worker-2', '--force', '--ignore-daemonsets', '--delete-emptydir-data');
    expect(drained.stdout).toContain('pod/shop evicted');
    expect((await kubectl('get', 'pods', '-o', 'name')).stdout).toBe('pod/elsewhere\n');
    expect((await kubectl('get', 'node', 'worker-2', '--no-headers')).stdout).toContain('Ready,SchedulingDisabled');
    expect(await jsonpath('{.spec.taints[*].key}')).toBe('node.kubernetes.io/unschedulable');
    await kubectl('uncordon', 'worker-2');
    expect(await jsonpath('{.spec.taints[*].key}{.spec.unschedulable}')).toBe('');
  });

  test('deleted nodes stay deleted after a late heartbeat, and return with a new kubelet', async () => {
    expect((await kubectl('delete', 'node', 'worker-2')).code).toBe(0);
    expect(await cluster.heartbeat('first', 'worker-2', { register: false })).toMatchObject({ known: false });
    expect((await kubectl('get', 'node', 'worker-2')).stderr).toContain('nodes "worker-2" not found');
    await cluster.heartbeat('first', 'worker-2');
    expect((await kubectl('get', 'node', 'worker-2')).code).toBe(0);
  });
});

describe('documents', () => {
  test('documents are applied with validation, changed, and reported as unchanged', async () => {
    expect((await apply(config({ a: '1' }))).stdout).toBe('configmap/settings created\n');
    expect((await apply(config({ a: '2' }))).stdout).toBe('configmap/settings configured\n');
    expect((await apply(config({ a: '2' }))).stdout).toBe('configmap/settings unchanged\n');
    expect((await apply(config({ a: '3' }), '--server-side', '--force-conflicts')).stdout).toContain(
      'serverside-applied',
    );
    expect((await kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.a}')).stdout).toBe('3');
  });

  test('documents in a missing namespace are refused; a deleted namespace deletes its documents', async () => {
    const lost = await apply({ ...config({}), metadata: { name: 'settings', namespace: 'shop' } });
    expect(lost.stderr).toContain('namespaces "shop" not found');
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await apply({ ...config({}), metadata: { name: 'settings', namespace: 'shop' } });
    await kubectl('delete', 'namespace', 'shop');
    expect((await kubectl('get', 'configmaps', '-A', '-o', 'name')).stdout).toBe('configmap/settings\n');
  });

  test('documents that do not exist yet can be waited for by a watch', async () => {
    const waiting = kubectl('wait', '--for=create', 'secret/late', '--timeout=10s');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' }, stringData: { key: 'value' } };
    expect((await apply(secret)).stdout).toBe('secret/late created\n');
    expect((await waiting).code).toBe(0);
    expect((await kubectl('get', 'secret', 'late', '-o', 'jsonpath={.data.key}')).stdout).toBe('dmFsdWU=');
  });
});

test('the API server says that it is simulated, and administrators may do everything', async () => {
  const version = JSON.parse((await kubectl('version', '-o', 'json')).stdout);
  expect(version.serverVersion).toMatchObject({ gitVersion: 'v1.34.1', gitTreeState: 'simulated control plane' });
  expect((await kubectl('auth', 'can-i', 'delete', 'nodes')).stdout).toBe('yes\n');
});

test('requests without a certificate or token are refused', async () => {
  const { code, stderr } = await cluster.kubectlOfStranger('first', 'get', 'nodes');
  expect(code).toBe(1);
  expect(stderr).toContain('You must be logged in to the server');
});

async function jsonpath(path: string): Promise<string> {
  return (await kubectl('get', 'node', 'worker-2', '-o', `jsonpath=${path}`)).stdout;
}

function patch(change: object): Promise<Output> {
  return kubectl('patch', 'node', 'worker-2', '--type=merge', '-p', JSON.stringify(change));
}

function pod(name: string, nodeName: string): object {
  const spec = { nodeName, containers: [{ name: 'main', image: 'none' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec };
}

function config(data: object): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data };
}
