/** Logs of stages and kubeconfigs: found, read in pieces, followed to their end. */

import { describe, expect, it } from 'vitest';
import { headerNames } from '#contracts/api-bodies.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { manifestPath } from './documents.ts';
import { aClusterRecord, aRun, aState, runId } from './records.ts';

const prefix = `runs/team/shop/${runId}/web-1234567/w00`;
const logs = `${manifestPath}/runs/${runId}/logs`;
const log = `${logs}/web/w00/infrastructure/1`;

async function read(api: ApiUnderTest, offset: number): Promise<{ text: string; next: number; ended: boolean }> {
  const { status, text, headers } = await api.call('GET', `${log}?offset=${offset}`);
  expect(status).toBe(200);
  return { text, next: Number(headers[headerNames.nextOffset]), ended: headers[headerNames.ended] === 'true' };
}

describe('logs', () => {
  it('logs are listed with stage, mode, attempt, size and whether they are complete', async () => {
    const { deps, call } = apiUnderTest();
    await deps.artifacts.putText(`${prefix}/waypoint.json`, '{}');
    await deps.artifacts.putText(`${prefix}/infrastructure/1/log.txt`, 'done');
    await deps.artifacts.putText(`${prefix}/infrastructure/1/result.json`, '{}');
    await deps.artifacts.putText(`${prefix}/nodes-undo/2/log.txt`, 'undoing');
    await deps.artifacts.putText(`runs/team/shop/${runId}0/web-1234567/w00/infrastructure/1/log.txt`, 'of another run');
    const { json } = await call('GET', logs);
    const place = { cluster: 'web', waypoint: 'w00' };
    expect(json.items).toEqual([
      { ...place, stage: 'infrastructure', mode: 'do', attempt: 1, size: 4, ended: true, path: log },
      {
        ...place,
        stage: 'nodes',
        mode: 'undo',
        attempt: 2,
        size: 7,
        ended: false,
        path: `${logs}/web/w00/nodes-undo/2`,
      },
    ]);
    expect((await call('GET', `${logs}/web-1234567/w00/nodes-undo/2`)).text).toBe('undoing');
  });

  it('logs of a run without any are an empty list, and of an unknown run 404', async () => {
    const { deps, call } = apiUnderTest();
    await deps.runs.put(aRun());
    expect(await call('GET', logs)).toMatchObject({ status: 200, json: { items: [] } });
    const missing = await call('GET', `${manifestPath}/runs/shop-abcde-g7-a1/logs`);
    expect(missing).toMatchObject({ status: 404, json: { detail: expect.stringContaining('has no run') } });
  });

  it('logs are listed in the order of their stages, those of the undo last', async () => {
    const { deps, call } = apiUnderTest();
    for (const attempt of [
      'nodes/1',
      'configuration/10',
      'configuration/9',
      'infrastructure/1',
      'infrastructure-undo/1',
    ]) {
      await deps.artifacts.putText(`${prefix}/${attempt}/log.txt`, 'x');
    }
    const { items } = (await call('GET', logs)).json as { items: { stage: string; mode: string; attempt: number }[] };
    expect(items.map(({ stage, mode, attempt }) => `${mode} ${stage} ${attempt}`)).toEqual([
      'do infrastructure 1',
      'do configuration 9',
      'do configuration 10',
      'do nodes 1',
      'undo infrastructure 1',
    ]);
  });

  it('a log can be followed while it grows, and ends when the result exists', async () => {
    const api = apiUnderTest();
    const put = (text: string) => api.deps.artifacts.putText(`${prefix}/infrastructure/1/log.txt`, text);
    await put('one\n');
    const first = await read(api, 0);
    expect(first).toEqual({ text: 'one\n', next: 4, ended: false });
    expect(await read(api, first.next)).toEqual({ text: '', next: 4, ended: false });
    await put('one\ntwo\n');
    await api.deps.artifacts.putText(`${prefix}/infrastructure/1/result.json`, '{}');
    expect(await read(api, first.next)).toEqual({ text: 'two\n', next: 8, ended: true });
  });

  it('a log is cut into pieces between characters, and nothing is lost', async () => {
    const api = apiUnderTest();
    const text = 'ä€🚀'.repeat(300_000);
    await api.deps.artifacts.putText(`${prefix}/infrastructure/1/log.txt`, text);
    await api.deps.artifacts.putText(`${prefix}/infrastructure/1/result.json`, '{}');
    let [offset, read1, pieces] = [0, '', 0];
    for (let ended = false; !ended; pieces += 1) {
      const piece = await read(api, offset);
      read1 += piece.text;
      offset = piece.next;
      ended = piece.ended;
    }
    expect(pieces).toBe(3);
    expect(read1 === text).toBe(true);
  });

  it('a log ends even if its last character is incomplete', async () => {
    const api = apiUnderTest();
    await api.deps.artifacts.putBytes(`${prefix}/infrastructure/1/log.txt`, new Uint8Array([65, 0xe2, 0x82]));
    expect((await read(api, 0)).next).toBe(1);
    await api.deps.artifacts.putText(`${prefix}/infrastructure/1/result.json`, '{}');
    expect((await read(api, 1)).ended).toBe(true);
  });

  it('a log is found by name or id of the cluster, even after its deletion', async () => {
    const { deps, call } = apiUnderTest();
    await deps.artifacts.putText(`${prefix}/infrastructure/1/log.txt`, 'made');
    await deps.artifacts.putText(`${prefix.replace('web-', 'web-eu-')}/infrastructure/1/log.txt`, 'of another');
    for (const cluster of ['web', 'web-1234567']) {
      expect((await call('GET', `${logs}/${cluster}/w00/infrastructure/1`)).text).toBe('made');
    }
    expect((await call('GET', `${logs}/web-eu/w00/infrastructure/1`)).text).toBe('of another');
    expect((await call('GET', `${logs}/we/w00/infrastructure/1`)).status).toBe(404);
  });

  it('a missing log is 404', async () => {
    expect((await apiUnderTest().call('GET', log)).status).toBe(404);
  });
});

describe('kubeconfigs', () => {
  it('a kubeconfig is found by id or name of the cluster, and caches do not keep it', async () => {
    const { deps, call } = apiUnderTest();
    const kubeconfigKey = 'kubeconfigs/team/shop/web-1234567';
    const facts = { nodes: {}, loadBalancers: {}, simulated: [], kubeconfigKey };
    await deps.clusters.put(aClusterRecord({ current: aState([]), facts }));
    await deps.artifacts.putText(kubeconfigKey, kubeconfigTo('https://web.example.com:6443'));
    for (const cluster of ['web-1234567', 'web']) {
      const answer = await call('GET', `${manifestPath}/clusters/${cluster}/kubeconfig`);
      expect(answer.text).toContain('current-context: web\n');
      expect(answer.text).not.toContain('kubernetes-admin');
      expect(answer.headers).toMatchObject({ 'content-type': 'application/yaml', 'cache-control': 'no-store' });
    }
    const other = await call('GET', `${manifestPath}/clusters/other/kubeconfig`);
    expect(other.status).toBe(404);
    expect(other.json.detail).toContain('it has: web');
  });

  it('a kubeconfig is 404 while Kubernetes does not run', async () => {
    const { deps, call } = apiUnderTest();
    await deps.clusters.put(aClusterRecord({ current: aState([]) }));
    const answer = await call('GET', `${manifestPath}/clusters/web/kubeconfig`);
    expect(answer.status).toBe(404);
    expect(answer.json.detail).toContain('no kubeconfig yet');
  });
});
