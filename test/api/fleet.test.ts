/** The list of manifests as a fleet: filters, orders, pages, counts, and nothing of namespaces that one may not see. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { fleetSorts, fleetStates } from '#contracts/fleet.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { fleetPage, type SummaryWithState } from '#functions/api/views/fleet.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aClusterRecord, aRecord, aState, runId } from './records.ts';

const at = '2026-11-23T08:00:00.000Z';
const calm = { namespace: 'team', name: 'calm' };
const term = { now: at, dueAt: at, expiresAt: '2999-01-01T00:00:00.000Z' };
const failure = {
  ...({
    class: 'quota',
    code: 'QuotaExceeded',
    message: 'no more machines',
    hint: 'raise it',
    retryable: false,
  } as const),
  runId,
  at,
  outcome: { kind: 'unchanged' as const },
};
const drift: NonNullable<ClusterRecord['drift']> = {
  checkedAt: at,
  runId,
  outcome: 'reported',
  unchecked: [],
  items: [{ kind: 'node', message: 'a node is gone', repairable: true, where: {} }],
};

async function stored(
  api: ApiUnderTest,
  name: string,
  { cluster, ...manifest }: Partial<ManifestRecord> & { readonly cluster?: Partial<ClusterRecord> } = {},
): Promise<void> {
  const record = aRecord({ name, status: 'Done', ...manifest });
  await api.deps.manifests.create(record);
  const { namespace } = record;
  await api.deps.clusters.put(aClusterRecord({ namespace, manifest: name, status: 'Converged', ...cluster }));
}

/** One in each state, two of them in another namespace. */
async function fleet(): Promise<ApiUnderTest & { readonly list: (query: string) => Promise<Listed> }> {
  const api = apiUnderTest();
  await stored(api, 'calm', { cluster: { current: aState(['a', 'b']) } });
  await stored(api, 'failed', { status: 'Failed', cluster: { status: 'NeedsAttention', failure } });
  await stored(api, 'degraded', { namespace: 'other', cluster: { status: 'Degraded' } });
  await stored(api, 'works', { status: 'Running', updatedAt: at, cluster: { status: 'Running' } });
  await stored(api, 'drifted', { cluster: { drift } });
  await stored(api, 'rests', { namespace: 'other', status: 'Pending', paused: true });
  return { ...api, list: (query) => listed(api, query) };
}

interface Listed {
  readonly status: number;
  readonly detail: string;
  readonly names: readonly string[];
  readonly page: ManifestPage;
}

async function listed(api: ApiUnderTest, query: string): Promise<Listed> {
  const { status, json } = await api.call('GET', `/v1/manifests?${query}`);
  const page = json as unknown as ManifestPage;
  return { status, detail: String(json.detail), names: (page.items ?? []).map(({ name }) => name), page };
}

describe('GET /v1/manifests', () => {
  it('manifests that need a person are listed first, then those in progress, with drift, paused, and the rest by name', async () => {
    const { list } = await fleet();
    const { names, page } = await list('sort=state');
    expect(names).toEqual(['degraded', 'failed', 'works', 'drifted', 'rests', 'calm']);
    expect(page.items.map(({ state }) => state)).toEqual(['attention', ...fleetStates]);
  });

  it('manifests are filtered by state, status, provider and namespace, and several words of one filter are alternatives', async () => {
    const { list } = await fleet();
    expect((await list('state=attention,Drifted')).names).toEqual(['degraded', 'drifted', 'failed']);
    expect((await list('status=failed')).names).toEqual(['failed']);
    expect((await list('provider=sim-1')).names).toEqual(['calm']);
    expect((await list('state=attention&namespace=other')).names).toEqual(['degraded']);
    expect((await list('sort=nodes&limit=1')).names).toEqual(['calm']);
    expect((await list('sort=changed&limit=1')).names).toEqual(['works']);
  });

  it('a search finds names, statuses, clusters, providers and failures, and every word has to be there', async () => {
    const { list } = await fleet();
    const found = async (words: string) => (await list(`search=${encodeURIComponent(words)}`)).names;
    expect([
      await found('QUOTA machines'),
      await found('other/'),
      await found('sim-1 web'),
      await found('sim-1 quota'),
    ]).toEqual([['failed'], ['degraded', 'rests'], ['calm'], []]);
  });

  it('the answer counts, for each choice of a filter, how many manifests the other filters leave', async () => {
    const { list } = await fleet();
    const { counts, items } = (await list('counts=true&limit=1&state=attention&namespace=team')).page;
    expect(items).toHaveLength(1);
    expect(counts).toEqual({
      all: 6,
      fitting: 1,
      states: { attention: 1, running: 1, drifted: 1, paused: 0, 'as-desired': 1 },
      namespaces: { other: 1, team: 1 },
      providers: {},
    });
    expect((await list('')).page.counts).toBeUndefined();
  });

  it('a value that a filter does not know is refused with those that it knows', async () => {
    const { list } = await fleet();
    const faults = await Promise.all(
      ['state=broken', 'status=done,gone', 'sort=age', 'limit=1001', 'counts=no'].map(list),
    );
    expect(faults.map(({ status, detail }) => `${status} ${detail}`)).toEqual([
      `400 the query is not valid: state: must be one of ${fleetStates.join(', ')}, or several with commas between`,
      '400 the query is not valid: status: must be one of Pending, Running, Done, Failed, Deleting, Unreadable, Proposed, or several with commas between',
      `400 the query is not valid: sort: must be one of ${fleetSorts.join(', ')}`,
      '400 the query is not valid: limit: must be a whole number from 1 to 1000',
      '400 the query is not valid: counts: must be true',
    ]);
    const { next = '' } = (await list('sort=state&limit=1')).page;
    expect((await list(`sort=changed&next=${next}`)).detail).toContain('not a cursor of this listing');
  });

  it('rows and counts of the fleet reveal nothing about namespaces that the caller may not see', async () => {
    const api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
    await stored(api, 'mine');
    await stored(api, 'hidden', { namespace: 'other', cluster: { status: 'Degraded' } });
    await bindRoles(api.deps, 'team', { viewer: 'vera' });
    const { json } = await api.call('GET', '/v1/manifests?sort=state&counts=true', as('vera'));
    expect(json).toMatchObject({ items: [{ name: 'mine' }], counts: { all: 1, fitting: 1, namespaces: { team: 1 } } });
    expect(JSON.stringify(json)).not.toMatch(/other|hidden/);
    expect((await api.call('GET', '/v1/manifests?sort=state&namespace=other', as('vera'))).status).toBe(403);
  });

  it('clusters are read again only after a run worked on them', async () => {
    const api = await fleet();
    const reads = vi.spyOn(api.deps.clusters, 'list');
    const statuses = async () => (await api.list('search=calm')).page.items[0]?.clusters.map(({ status }) => status);
    await statuses();
    reads.mockClear();
    expect([await statuses(), reads.mock.calls.length]).toEqual([['Converged'], 0]);
    const { lease } = (await api.deps.manifests.takeLease(calm, 'run', term)) ?? {};
    const [record = aClusterRecord({})] = await api.deps.clusters.list(calm);
    const fence = lease?.fence ?? 0;
    reads.mockClear();
    expect([await statuses(), await statuses(), reads.mock.calls.length]).toEqual([['Converged'], ['Converged'], 2]);
    await api.deps.clusters.put({ ...record, version: record.version + 1, fence, status: 'Degraded' });
    await api.deps.manifests.settle(calm, fence, { generation: 1, attempt: 1 }, 'Done', at);
    expect([await statuses(), await statuses(), reads.mock.calls.length]).toEqual([['Degraded'], ['Degraded'], 3]);
    reads.mockRestore();
  });

  it('a list that is asked for again is an empty 304 until something in it changes', async () => {
    const api = await fleet();
    for (const query of ['', 'sort=state&counts=true']) {
      const ask = (tag: string) => api.call('GET', `/v1/manifests?${query}`, { headers: { 'if-none-match': tag } });
      const tag = (await ask('"none"')).headers.etag ?? '';
      expect(await ask(tag)).toMatchObject({ status: 304, text: '', headers: { etag: tag } });
      await api.deps.manifests.takeLease(calm, 'run', term);
      const [record = aClusterRecord({})] = await api.deps.clusters.list(calm);
      const status = record.status === 'Degraded' ? 'Converged' : 'Degraded';
      await api.deps.clusters.put({ ...record, version: record.version + 1, fence: record.fence + 1, status });
      expect(await ask(tag)).toMatchObject({ status: 200 });
    }
  });
});

it.each(['/v1/manifests/team/shop/events', '/v1/events', '/v1/changes?namespace=team'])(
  'events of %s answer 304 until a new event exists',
  async (path) => {
    const api = apiUnderTest();
    await api.deps.manifests.create(aRecord());
    const first = await api.call('GET', path);
    const again = await api.call('GET', path, { headers: { 'if-none-match': first.headers.etag ?? '' } });
    expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
    expect(again.headers.etag).toBe(first.headers.etag);
  },
);

describe('pages', () => {
  const row = fc.record({
    namespace: fc.constantFrom('a', 'a-b', 'b'),
    name: fc.stringMatching(/^[a-z0-9-]{1,3}$/),
    state: fc.constantFrom(...fleetStates),
    status: fc.constantFrom('Done' as const, 'Failed' as const),
    updatedAt: fc.constantFrom(at, '2026-11-23T09:00:00.000Z', ''),
    nodes: fc.nat(2),
    provider: fc.constantFrom('aws-1', 'gcp-1'),
  });
  const rows = fc
    .uniqueArray(row, { maxLength: 40, selector: ({ namespace, name }) => `${namespace}/${name}` })
    .map((drafts): readonly SummaryWithState[] =>
      drafts.map(({ nodes, provider, ...draft }) => ({
        generation: 1,
        attempt: 1,
        deleting: false,
        paused: false,
        runId,
        createdAt: draft.updatedAt,
        progress: null,
        clusters: [{ cluster: 'web-1234567', name: 'web', status: 'Converged' as const, nodes, providers: [provider] }],
        ...draft,
      })),
    );
  const query = fc
    .record(
      {
        sort: fc.constantFrom(...fleetSorts),
        state: fc.subarray([...fleetStates], { minLength: 1 }).map((some) => some.join(',')),
        status: fc.constantFrom('Done', 'done,failed'),
        provider: fc.constantFrom('aws-1'),
        namespace: fc.constantFrom('a-b'),
        search: fc.constantFrom('a', 'a b'),
      },
      { requiredKeys: ['sort'] },
    )
    .map((given) => ({ given, parsed: operations.listManifests.query.parse(given) }));

  it('joined pages are the whole list in its order, each manifest once, whatever is filtered and sorted', () => {
    fc.assert(
      fc.property(rows, query, fc.integer({ min: 1, max: 7 }), (all, { parsed }, limit) => {
        const whole = fleetPage(all, { ...parsed, limit: 1000 });
        const joined: unknown[] = [];
        let next: string | undefined;
        do {
          const page = fleetPage(all, { ...parsed, limit, next });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          joined.push(...page.items);
          next = page.next;
        } while (next !== undefined);
        expect(joined).toEqual(whole.items);
        expect(fleetPage(all.toReversed(), { ...parsed, limit: 1000 })).toEqual(whole);
      }),
    );
  });

  it('each count is the length of the list that one gets by choosing it', () => {
    fc.assert(
      fc.property(rows, query, (all, { parsed }) => {
        const length = (more: object): number => fleetPage(all, { ...parsed, ...more, limit: 1000 }).items.length;
        const { counts } = fleetPage(all, { ...parsed, limit: 1, counts: 'true' });
        expect(counts).toMatchObject({ all: all.length, fitting: length({}) });
        for (const state of fleetStates) expect(counts?.states[state]).toBe(length({ state: [state] }));
        for (const [namespace, count] of Object.entries(counts?.namespaces ?? {}))
          expect(count).toBe(length({ namespace }));
        for (const [provider, count] of Object.entries(counts?.providers ?? {}))
          expect(count).toBe(length({ provider }));
      }),
    );
  });
});
