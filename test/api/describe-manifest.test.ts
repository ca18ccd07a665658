/** What the API reports about a manifest: rows of nodes, progress, failures, and what is not real. */

import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from '#contracts/records.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type Answer, apiUnderTest } from './api-under-test.ts';
import { manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aRun, aState, runId, someProgress } from './records.ts';

interface Described {
  readonly status: string;
  readonly nodes: readonly { readonly name: string; readonly status: string }[];
  readonly [field: string]: unknown;
}

async function describeWith(change: Partial<ClusterRecord>): Promise<{ answer: Answer; cluster: Described }> {
  const api = apiUnderTest();
  await api.deps.manifests.create(aRecord());
  await api.deps.runs.put(aRun());
  await api.deps.clusters.put(aClusterRecord(change));
  const answer = await api.call('GET', manifestPath);
  expect(answer.status).toBe(200);
  return { answer, cluster: (answer.json.clusters as Described[])[0] ?? { status: '', nodes: [] } };
}

const statuses = (cluster: Described): Record<string, string> =>
  Object.fromEntries(cluster.nodes.map(({ name, status }) => [name, status]));

describe('GET of a manifest', () => {
  it('GET shows the document, the last run, links and the version to write against', async () => {
    const { answer } = await describeWith({});
    expect(answer.json).toMatchObject({ namespace: 'team', name: 'shop', status: 'Running', lastRun: { runId } });
    expect(answer.json.document).toMatchObject({ kind: 'InputManifest' });
    expect(answer.json.links).toMatchObject({ events: '/v1/manifests/team/shop/events' });
    expect(answer.headers.etag).toBe('"abcde-g1-a1"');
  });

  it('GET is never "not modified", since progress changes without a new version', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord());
    expect((await api.call('GET', manifestPath, { headers: { 'if-none-match': '"abcde-g1-a1"' } })).status).toBe(200);
  });

  it('GET of a missing manifest is 404 with a sentence', async () => {
    const answer = await apiUnderTest().call('GET', manifestPath);
    expect(answer.status).toBe(404);
    expect(answer.json.detail).toBe('there is no manifest "shop" in namespace "team"');
  });

  it('each node is a row with provider, pool, role and addresses', async () => {
    const { cluster } = await describeWith({
      status: 'Converged',
      current: aState(['compute-00']),
      facts: { nodes: { 'compute-00': { publicAddress: '198.51.100.2' } }, loadBalancers: {}, simulated: [] },
    });
    expect(cluster.nodes).toHaveLength(3);
    expect(cluster.nodes[1]).toEqual({
      name: 'compute-00',
      pool: 'compute',
      role: 'compute',
      provider: 'sim-1',
      region: 'anywhere',
      serverType: 'small',
      publicAddress: '198.51.100.2',
      privateAddress: '192.168.2.1',
      status: 'Ready',
    });
  });

  it('a node that waits, joins or leaves is shown as that', async () => {
    const progress = someProgress(1, 4);
    const leaving = {
      name: 'compute-00',
      role: 'compute',
      pool: 'compute',
      provider: 'sim-1',
      part: 'leaves' as const,
    };
    const { cluster } = await describeWith({
      current: aState(['compute-00']),
      attempted: aState(['compute-01', 'compute-02']),
      facts: { nodes: { 'compute-01': { publicAddress: '198.51.100.3' } }, loadBalancers: {}, simulated: [] },
      progress: { ...progress, nodes: [leaving] },
    });
    expect(statuses(cluster)).toEqual({
      'control-00': 'Ready',
      'edge-00': 'Ready',
      'compute-00': 'Leaving',
      'compute-01': 'Joining',
      'compute-02': 'Waiting',
    });
  });

  it('a node of an abandoned attempt is a leftover, and of one being undone is leaving', async () => {
    const tried = { current: aState([]), attempted: aState(['compute-01']) };
    const abandoned = await describeWith({ ...tried, status: 'NeedsAttention' });
    expect(statuses(abandoned.cluster)).toMatchObject({ 'compute-01': 'Leftover', 'control-00': 'Ready' });
    const undoing = await describeWith({ ...tried, status: 'RollingBack' });
    expect(statuses(undoing.cluster)).toMatchObject({ 'compute-01': 'Leaving', 'control-00': 'Ready' });
  });

  it('a node that did not answer when it was last visited is unreachable, with the time', async () => {
    const unreachableSince = '2026-03-01T07:00:00.000Z';
    const facts = { nodes: { 'control-00': { unreachableSince } }, loadBalancers: {}, simulated: [] };
    const { cluster } = await describeWith({ status: 'Converged', current: aState([]), facts });
    expect(cluster.nodes[0]).toMatchObject({ name: 'control-00', status: 'Unreachable', unreachableSince });
  });

  it('progress has steps and percent, of each cluster and of all', async () => {
    const { answer, cluster } = await describeWith({ progress: someProgress(1, 3) });
    expect(cluster.progress).toMatchObject({ step: 1, steps: 3, percent: 33, stage: 'kubernetes', direction: 'grow' });
    expect(answer.json.progress).toEqual({ step: 1, steps: 3, percent: 33 });
  });

  it('progress is 100 percent when converged, even if there was nothing to do', async () => {
    const { cluster } = await describeWith({ status: 'Converged', progress: someProgress(0, 0) });
    expect(cluster.progress).toMatchObject({ percent: 100 });
  });

  it('a read of a kubeconfig is an event with who read it', async () => {
    const api = apiUnderTest();
    const record = aClusterRecord({ current: aState([]) });
    const kubeconfigKey = 'kubeconfigs/team/shop/web-1234567';
    await api.deps.clusters.put({ ...record, facts: { ...record.facts, kubeconfigKey } });
    await api.deps.artifacts.putText(kubeconfigKey, kubeconfigTo('https://web.example.com:6443'));
    expect((await api.call('GET', `${manifestPath}/clusters/web/kubeconfig`)).status).toBe(200);
    const { json } = await api.call('GET', `${manifestPath}/events`);
    expect(json.items).toMatchObject([
      {
        kind: 'KubeconfigRead',
        by: 'tester',
        message: expect.stringMatching(/^kubeconfig of web read by tester from /),
      },
    ]);
  });

  it('GET shows the endpoints of API and load balancers, and whether there is a kubeconfig', async () => {
    const facts = { nodes: {}, loadBalancers: { front: { endpoint: '198.51.100.9' } }, simulated: ['control plane'] };
    const { answer, cluster } = await describeWith({
      current: aState([]),
      facts: { ...facts, kubeconfigKey: 'kubeconfigs/team/shop/web-1234567' },
    });
    expect(cluster.apiEndpoint).toBe('https://198.51.100.9:6443');
    expect(cluster.loadBalancers).toEqual([
      expect.objectContaining({ name: 'front', endpoint: '198.51.100.9', dnsName: 'web.example.com', servesApi: true }),
    ]);
    expect(cluster.kubeconfigPath).toBe(`${manifestPath}/clusters/web/kubeconfig`);
    expect(answer.json.simulated).toEqual(['control plane']);
  });

  it('a failure is shown with class, cause, hint and the command that shows the log', async () => {
    const { cluster } = await describeWith({
      status: 'RolledBack',
      failure: {
        class: 'capacity',
        code: 'NoCapacity',
        message: 'Error: no server of this type is free',
        hint: 'Use another region.',
        retryable: false,
        resource: 'compute-01',
        stage: 'infrastructure',
        runId,
        at: '2026-11-20T12:05:00.000Z',
        outcome: { kind: 'said', text: 'the new machines were removed again' },
        attemptPrefix: `runs/team/shop/${runId}/web-1234567/w00/infrastructure-undo/2`,
      },
    });
    expect(cluster.failure).toMatchObject({
      class: 'capacity',
      message: 'Error: no server of this type is free',
      hint: 'Use another region.',
      logCommand: `kubeloom logs ${runId} --stage infrastructure --namespace team`,
      logPath: `${manifestPath}/runs/${runId}/logs/web/w00/infrastructure-undo/2`,
    });
  });
});
