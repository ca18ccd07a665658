/** Lists come page by page: nothing twice, nothing left out, and events can be followed. */
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { key, manifestPath } from './documents.ts';
import { aClusterRecord, aRecord, aRun, aState } from './records.ts';

async function allPages(
  api: ApiUnderTest,
  path: string,
  limit: number,
): Promise<{ pages: number; items: Record<string, unknown>[] }> {
  const items: Record<string, unknown>[] = [];
  let next = '';
  for (let pages = 1; ; pages += 1) {
    const cursor = next === '' ? '' : `&next=${encodeURIComponent(next)}`;
    const { json } = await api.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    items.push(...(json.items as Record<string, unknown>[]));
    if (typeof json.next !== 'string') return { pages, items };
    next = json.next;
  }
}

describe('manifests', () => {
  it('manifests are listed page by page, all or those of one namespace', async () => {
    const api = apiUnderTest();
    for (const namespace of ['team', 'other']) {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await api.deps.manifests.create(aRecord({ namespace, name }));
    }
    const all = await allPages(api, '/v1/manifests', 3);
    expect(all.pages).toBe(4);
    expect(new Set(all.items.map(({ namespace, name }) => `${namespace}/${name}`)).size).toBe(10);
    const team = await allPages(api, '/v1/manifests?namespace=team', 2);
    expect(team.items.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('a manifest is listed with the status and size of its clusters, without its document', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord());
    await api.deps.clusters.put(aClusterRecord({ status: 'Converged', current: aState(['compute-00']) }));
    const { json } = await api.call('GET', '/v1/manifests');
    const [row] = json.items as Record<string, unknown>[];
    expect(row).toMatchObject({ clusters: [{ cluster: 'web-1234567', status: 'Converged', nodes: 3 }] });
    expect(row).not.toHaveProperty('document');
  });
});

describe('runs', () => {
  it('a run that a newer one replaced before it started is superseded, even if not recorded', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord({ runId: 'shop-abcde-g3-a1', generation: 3 }));
    for (const generation of [1, 2, 3]) {
      const queuedAt = `2026-11-20T12:00:0${generation}.000Z`;
      const status = generation === 1 ? 'Succeeded' : 'Queued';
      await api.deps.runs.put(aRun({ runId: `shop-abcde-g${generation}-a1`, generation, status, queuedAt }));
    }
    const { json } = await api.call('GET', `${manifestPath}/runs`);
    const listed = (json.items as { status: string }[]).map(({ status }) => status);
    expect(listed).toEqual(['Queued', 'Superseded', 'Succeeded']);
    const one = await api.call('GET', `${manifestPath}/runs/shop-abcde-g2-a1`);
    expect(one.json).toMatchObject({ status: 'Superseded' });
  });

  it('runs are listed newest first and can be read', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord());
    for (const attempt of [1, 2, 3]) {
      const queuedAt = `2026-11-20T12:0${attempt}:00.000Z`;
      await api.deps.runs.put(aRun({ runId: `shop-abcde-g1-a${attempt}`, attempt, queuedAt }));
    }
    const { items } = await allPages(api, `${manifestPath}/runs`, 2);
    expect(items.map(({ attempt }) => attempt)).toEqual([3, 2, 1]);
    const one = await api.call('GET', `${manifestPath}/runs/shop-abcde-g1-a2`);
    expect(one.json).toMatchObject({ attempt: 2 });
    expect((await api.call('GET', `${manifestPath}/runs/shop-abcde-g9-a9`)).status).toBe(404);
  });

  it('runs of a manifest with the longest possible name can be read', async () => {
    const api = apiUnderTest();
    const name = 'n'.repeat(63);
    const runId = `${name}-abcde-g10-a12`;
    await api.deps.runs.put({ ...aRun({ runId }), manifest: name });
    for (const path of [runId, `${runId}/logs`])
      expect((await api.call('GET', `/v1/manifests/team/${name}/runs/${path}`)).status).toBe(200);
  });

  it('runs of a deleted manifest are listed, and of one that never existed are 404', async () => {
    const api = apiUnderTest();
    expect((await api.call('GET', `${manifestPath}/runs`)).status).toBe(404);
    await api.deps.runs.put(aRun());
    expect((await api.call('GET', `${manifestPath}/runs`)).json.items).toHaveLength(1);
  });
});

describe('events', () => {
  it('`next` of events continues after the last answer, even if that was empty', async () => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord());
    const event = (second: number) => ({
      at: `2026-11-20T12:00:0${second}.000Z`,
      runId: 'shop-abcde-g1-a1',
      level: 'info' as const,
      kind: 'StageSucceeded' as const,
      message: `event ${second}`,
    });
    await api.deps.events.append(key, [event(1), event(2), event(3)]);
    const first = await api.call('GET', `${manifestPath}/events?limit=2`);
    const second = await api.call('GET', `${manifestPath}/events?limit=2&next=${first.json.next}`);
    const nothing = await api.call('GET', `${manifestPath}/events?next=${second.json.next}`);
    expect(nothing.json.items).toEqual([]);
    await api.deps.events.append(key, [event(4)]);
    const later = await api.call('GET', `${manifestPath}/events?next=${nothing.json.next}`);
    const messages = [first, second, later].flatMap(({ json }) =>
      (json.items as { message: string }[]).map((e) => e.message),
    );
    expect(messages).toEqual(['event 1', 'event 2', 'event 3', 'event 4']);
  });

  it('events of a new manifest are an empty list, not 404', async () => {
    const api = apiUnderTest();
    expect((await api.call('GET', `${manifestPath}/events`)).status).toBe(404);
    await api.deps.manifests.create(aRecord());
    expect((await api.call('GET', `${manifestPath}/events`)).json).toEqual({ items: [] });
  });
});
