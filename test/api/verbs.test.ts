/** Verbs as a client meets them: what they answer for what is not there, has changed, or was never asked for rightly. */
import { describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { cancelRun } from '#functions/pipeline/runs/cancel-run.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { aManifest, key, manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aRun, aState, runId } from './records.ts';

/** Notes that the first run of a generation ended as it should. */
async function succeeded(deps: ApiUnderTest['deps'], generation: number): Promise<void> {
  const id = (await deps.manifests.get(key))?.runId.replace(/-g\d+-a\d+$/, `-g${generation}-a1`) ?? '';
  const run = await deps.runs.get(key, id);
  await deps.runs.put({ ...aRun(), ...run, runId: id, generation, status: 'Succeeded' });
}

const verbs = ['retry', 'cancel', 'pause', 'resume', 'rollback'] as const;

describe('every verb', () => {
  for (const verb of verbs) {
    it(`${verb} of a missing manifest is 404, and of a malformed name 400`, async () => {
      const { call } = apiUnderTest();
      const missing = await call('POST', `${manifestPath}/${verb}`);
      expect(missing).toMatchObject({ status: 404, json: { code: 'NotFound' } });
      expect(missing.json.detail).toContain('there is no manifest "shop"');
      expect((await call('POST', `/v1/manifests/team/Shop/${verb}`)).status).toBe(400);
    });

    it(`${verb} is 409 when it makes no sense, says why, and changes nothing`, async () => {
      const { deps, call } = apiUnderTest();
      await deps.manifests.create(aRecord({ status: 'Done', ...(verb === 'pause' && { paused: true }) }));
      const before = await deps.manifests.get(key);
      const answer = await call('POST', `${manifestPath}/${verb}`);
      expect(answer).toMatchObject({
        status: 409,
        json: { code: 'VerbRefused', current: { generation: 1, attempt: 1 } },
      });
      expect(answer.json.detail).toMatch(/^manifest "team\/shop" cannot be \w+( \w+)?: /);
      expect(await deps.manifests.get(key)).toEqual(before);
      expect(deps.workflows.started).toEqual([]);
    });
  }

  for (const verb of [...verbs, 'drift'] as const) {
    it(`${verb} of a version that is no longer the stored one is 412`, async () => {
      const { deps, call } = apiUnderTest();
      await deps.manifests.create(aRecord({ status: 'Failed', generation: 3 }));
      for (const tag of ['"abcde-g2-a1"', '"other-g3-a1"', '"g3-a1"']) {
        const answer = await call('POST', `${manifestPath}/${verb}`, { headers: { 'if-match': tag } });
        expect(answer).toMatchObject({ status: 412, json: { current: { generation: 3, attempt: 1 } } });
      }
    });
  }

  it('a verb that makes no sense for the current version it names is 409, not 412', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Done' }));
    const answer = await call('POST', `${manifestPath}/cancel`, { headers: { 'if-match': '"abcde-g1-a1"' } });
    expect(answer).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
  });

  it('an entity tag without the identity of the manifest is reported as of an older release', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Failed' }));
    const { json } = await call('POST', `${manifestPath}/retry`, { headers: { 'if-match': '"g1-a1"' } });
    expect(json.detail).toContain('is of an older version of Kubeloom; read it and retry');
  });
});

describe('retry', () => {
  it('retry answers with the attempt that it started, its tag and links', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Failed' }));
    const answer = await call('POST', `${manifestPath}/retry`, {
      body: { from: 'nodes' },
      headers: { 'if-match': '"abcde-g1-a1"' },
    });
    expect(answer.status).toBe(202);
    expect(answer.headers.etag).toBe('"abcde-g1-a2"');
    expect(answer.json).toMatchObject({
      runId: 'shop-abcde-g1-a2',
      links: { run: `${manifestPath}/runs/shop-abcde-g1-a2` },
    });
    expect(await deps.manifests.get(key)).toMatchObject({ attempt: 2, retryFrom: 'nodes', status: 'Pending' });
    expect(deps.workflows.started.map((started) => started.runId)).toEqual(['shop-abcde-g1-a2']);
  });

  it('retry of a deletion deletes again, and orphans what the deletion orphans', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Failed', deleting: true, orphans: ['edge-00'] }));
    await call('POST', `${manifestPath}/retry`);
    expect(await deps.manifests.get(key)).toMatchObject({ deleting: true, status: 'Deleting', orphans: ['edge-00'] });
  });

  it('retry accepts a stage to start from, and nothing else', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Failed' }));
    for (const body of [{ from: 'terraform' }, { to: 'nodes' }, 'a: [', []]) {
      expect((await call('POST', `${manifestPath}/retry`, { body })).status).toBe(400);
    }
    expect((await deps.manifests.get(key))?.attempt).toBe(1);
  });
});

describe('concurrent verbs', () => {
  it('one of two retries starts an attempt, and the other is refused as too late', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Failed' }));
    const answers = await Promise.all([1, 2].map(() => call('POST', `${manifestPath}/retry`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await deps.manifests.get(key))?.attempt).toBe(2);
  });

  it('either a rollback or a change wins when they arrive at the same time', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest() });
    await succeeded(deps, 1);
    await call('PUT', manifestPath, { body: aManifest({ compute: 3 }) });
    const answers = await Promise.all([
      call('POST', `${manifestPath}/rollback`),
      call('PUT', manifestPath, { body: aManifest({ compute: 4 }) }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await deps.manifests.get(key))?.generation).toBe(3);
  });
});

describe('rollback', () => {
  /** Generations with so many compute nodes, of which those in `done` were done. */
  async function history(computes: readonly number[], done: readonly number[]): Promise<ApiUnderTest> {
    const api = apiUnderTest();
    for (const [index, compute] of computes.entries()) {
      expect((await api.call('PUT', manifestPath, { body: aManifest({ compute }) })).status).toBe(202);
      if (done.includes(index + 1)) await succeeded(api.deps, index + 1);
    }
    return api;
  }
  const back = async ({ call, deps }: ApiUnderTest, body?: object): Promise<string> => {
    const { status, json } = await call('POST', `${manifestPath}/rollback`, body ? { body } : {});
    if (status !== 202) return String(json.detail);
    await succeeded(deps, Number(json.generation));
    const [newest] = await deps.manifests.generations(key);
    return `${json.generation} as ${newest?.origin?.rolledBackTo}`;
  };

  it('rollback goes to the last generation before the present one that was done', async () => {
    expect(await back(await history([1, 2, 3, 4], [1, 2]))).toBe('5 as 2');
  });

  it('a second rollback goes further back, never forward', async () => {
    const api = await history([1, 2, 3], [1, 2, 3]);
    expect([await back(api), await back(api), await back(api)]).toEqual([
      '4 as 2',
      '5 as 1',
      expect.stringContaining(
        'no earlier generation that differs was successful; the documents of 4, 3, 2, 1 are kept',
      ),
    ]);
  });

  it('a rollback counts as the generation that it restored, after another change too', async () => {
    const api = await history([1, 2, 3], [1, 2, 3]);
    expect(await back(api)).toBe('4 as 2');
    await api.call('PUT', manifestPath, { body: aManifest({ compute: 9 }) });
    expect([await back(api), await back(api)]).toEqual(['6 as 4', '7 as 1']);
  });

  it('rollback goes to the generation that is named, and says which ones exist', async () => {
    const api = await history([1, 2, 3], []);
    expect(await back(api, { to: 1 })).toBe('4 as 1');
    expect(await back(api, { to: 4 })).toContain('generation 4 is not before the current one, 4');
    expect(await back(api, { to: 0 })).toContain('to');
  });

  it('a rollback to a document that is the present one again starts nothing', async () => {
    const { call, deps } = await history([1, 2, 1], []);
    const answer = await call('POST', `${manifestPath}/rollback`, { body: { to: 1 } });
    expect(answer).toMatchObject({ status: 200, json: { generation: 3, unchanged: true } });
    expect((await deps.manifests.get(key))?.generation).toBe(3);
  });

  it('a plan of a rollback changes nothing and names its target and version', async () => {
    const api = await history([1, 2], [1]);
    const { json } = await api.call('POST', `${manifestPath}/plan?rollback=last`);
    expect(json).toMatchObject({ rollbackTo: 1, etag: expect.stringMatching(/g2-a1"$/), faults: [] });
    expect((await api.deps.manifests.get(key))?.generation).toBe(2);
    expect((await api.call('POST', `${manifestPath}/plan?rollback=2`)).status).toBe(409);
  });
});

describe('pause', () => {
  it('pause is shown in the list and in the description', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord());
    expect((await call('GET', manifestPath)).json.paused).toBe(false);
    expect(await call('POST', `${manifestPath}/pause`)).toMatchObject({ status: 202, json: { paused: true } });
    expect((await call('GET', manifestPath)).json.paused).toBe(true);
    expect((await call('GET', '/v1/manifests')).json.items).toMatchObject([{ paused: true }]);
  });
});

describe('cancel', () => {
  it('cancel stops the runners of clusters that move forward, not of clusters that are rolled back', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord());
    await deps.runs.put(aRun());
    const at = (cluster: string) => `runs/team/shop/${runId}/${cluster}/w00`;
    await deps.clusters.put(aClusterRecord({ cluster: 'web-1', status: 'Running', waypointPrefix: at('web-1') }));
    await deps.clusters.put(aClusterRecord({ cluster: 'api-1', status: 'RollingBack', waypointPrefix: at('api-1') }));
    expect((await call('POST', `${manifestPath}/cancel`)).status).toBe(202);
    const asked = ['web-1', 'api-1'].map((cluster) => deps.artifacts.getText(`${at(cluster)}/stop.json`));
    expect(await Promise.all(asked)).toEqual([expect.stringContaining('"reason":"cancelled"'), undefined]);
    expect((await deps.manifests.get(key))?.cancelRequested).toBe(runId);
  });

  it('a manifest says that it is being cancelled, and refuses another cancel with that, until its run has ended', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord());
    const shown = async () => (await call('GET', manifestPath)).json.cancelling;
    expect(await shown()).toBeUndefined();
    await call('POST', `${manifestPath}/cancel`);
    expect(await shown()).toBe(true);
    const again = await call('POST', `${manifestPath}/cancel`);
    expect(again).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('it is already being cancelled') },
    });
    const { generation, attempt, ...record } = aRecord({ status: 'Failed' });
    await deps.manifests.replace({ ...record, generation, attempt }, { generation, attempt });
    expect(await shown()).toBeUndefined();
  });
});

describe('cancel and a newer run', () => {
  it('a cancel of a run that a newer one has followed meanwhile asks nothing of the runners of the newer one', async () => {
    const { deps } = apiUnderTest();
    const newer = 'shop-abcde-g2-a1';
    await deps.manifests.create(aRecord({ runId: newer }));
    const at = (run: string, cluster: string) => `runs/team/shop/${run}/${cluster}/w00`;
    for (const [cluster, run] of [['web-1', newer] as const, ['api-1', runId] as const])
      await deps.clusters.put(aClusterRecord({ cluster, status: 'Running', waypointPrefix: at(run, cluster) }));
    await cancelRun(deps, key, runId);
    expect(await deps.artifacts.getText(waypointKeys.stop(at(newer, 'web-1')))).toBeUndefined();
    expect(await deps.artifacts.getText(waypointKeys.stop(at(runId, 'api-1')))).toContain('"reason":"cancelled"');
  });
});

describe('DELETE with orphans', () => {
  it('DELETE with orphans answers what will be left, before anything happens', async () => {
    const { deps, call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest() });
    await deps.clusters.put(aClusterRecord({ status: 'Converged', current: aState(['compute-00']) }));
    const answer = await call('DELETE', `${manifestPath}?orphan=edge-00`);
    expect(answer.status).toBe(202);
    expect(answer.json.left).toEqual([
      {
        cluster: 'web',
        nodes: [{ name: 'edge-00', provider: 'sim-1', region: 'anywhere' }],
        loadBalancers: [],
        terraformStates: [],
      },
    ]);
    expect(await deps.manifests.get(key)).toMatchObject({ deleting: true, orphans: ['edge-00'] });
  });

  it('DELETE without orphans answers without a list of what is left', async () => {
    const { call } = apiUnderTest();
    await call('PUT', manifestPath, { body: aManifest() });
    expect((await call('DELETE', manifestPath)).json).not.toHaveProperty('left');
  });
});

describe('resume', () => {
  it('resume starts a generation that was stored by a writer who still saw the pause', async () => {
    const { deps, call } = apiUnderTest();
    await deps.manifests.create(aRecord({ status: 'Pending', paused: true }));
    const setPaused = deps.manifests.setPaused.bind(deps.manifests);
    deps.manifests.setPaused = async (...desired) => {
      const record = await setPaused(...desired);
      // A PUT that had read the pause: it stores a generation, is not due, and starts nothing.
      const { dueAt: _, paused: _paused, ...later } = { ...record, generation: 2, runId: 'shop-abcde-g2-a1' };
      await deps.manifests.replace(later, { generation: 1, attempt: 1 });
      return record;
    };
    const answer = await call('POST', `${manifestPath}/resume`);
    expect(answer).toMatchObject({ status: 202, json: { generation: 2, attempt: 2, paused: false } });
    expect(deps.workflows.started.map((started) => started.runId)).toEqual(['shop-abcde-g2-a2']);
  });
});
