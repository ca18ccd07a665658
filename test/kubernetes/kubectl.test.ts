/** The real kubectl against the simulated API server: what the pipeline and people do with it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Output, SimulatedCluster } from './simulated-cluster.ts';

let cluster: SimulatedCluster;
const kubectl = (...args: readonly string[]): Promise<Output> => cluster.kubectl('first', ...args);

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

  test('nodes are cordoned, drained, and uncordoned', async () => {
    const drained = await kubectl('drain', 'worker-2', '--force', '--ignore-daemonsets', '--delete-emptydir-data');
    expect(drained.stdout).toContain('node/worker-2 drained');
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

test('documents are refused: nothing would run them', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: {} };
  const refused = await cluster.kubectlWith(JSON.stringify(config), 'first', 'create', '--validate=false', '-f', '-');
  expect(refused.stderr).toContain('the simulated control plane does not POST this');
  expect((await kubectl('get', 'configmaps,pods', '-A')).stderr).toContain('No resources found');
});

test('listing certificate requests works and returns an empty list', async () => {
  const { code, stdout } = await kubectl('get', 'certificatesigningrequests', '-o', 'json');
  expect([code, JSON.parse(stdout).items]).toEqual([0, []]);
});

test('the API server says that it is simulated', async () => {
  const version = JSON.parse((await kubectl('version', '-o', 'json')).stdout);
  expect(version.serverVersion).toMatchObject({ gitVersion: 'v1.34.1', gitTreeState: 'simulated control plane' });
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
