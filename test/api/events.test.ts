/** Events of all manifests: who sees which, filters, and pages that lose and repeat nothing. */
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '#contracts/records.ts';
import { recordChange } from '#functions/pipeline/records/audit-event.ts';
import { type ApiUnderTest, apiUnderTest, type Call } from './api-under-test.ts';

const at = (second: number): string => new Date(Date.parse('2026-11-20T12:00:00Z') + second * 1000).toISOString();
const event = (second: number, change: Partial<NewEvent> = {}): NewEvent => ({
  at: at(second),
  runId: 'shop-abcde-g1-a1',
  level: 'info',
  kind: 'StageSucceeded',
  message: `event ${second}`,
  ...change,
});

interface Page {
  readonly items: readonly (NewEvent & {
    readonly id: string;
    readonly namespace?: string;
    readonly manifest?: string;
  })[];
  readonly next?: string;
  readonly more: boolean;
}

async function page(api: ApiUnderTest, query: string, as?: Call['as']): Promise<Page> {
  const { status, json } = await api.call('GET', `/v1/events?${query}`, as === undefined ? {} : { as });
  expect(status).toBe(200);
  return json as unknown as Page;
}

const messages = ({ items }: Page): readonly string[] => items.map(({ message }) => message);

async function twoTeams(): Promise<ApiUnderTest> {
  const api = apiUnderTest({ KUBELOOM_ADMINS: 'user:tester' });
  const spec = { role: 'viewer', namespaces: ['team'], subjects: [{ user: 'ann' }] } as const;
  await api.deps.roleBindings.put({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name: 'ann' },
    spec: { ...spec, namespaces: [...spec.namespaces], subjects: [...spec.subjects] },
  });
  await api.deps.events.append({ namespace: 'team', name: 'shop' }, [event(1), event(2, { kind: 'RunStarted' })]);
  await api.deps.events.append({ namespace: 'other', name: 'web' }, [event(3, { node: 'batch-small-a1b2c3d-0a' })]);
  await api.deps.events.append({ namespace: 'team', name: 'web' }, [event(4, { node: 'web-a1b2c3d-01' })]);
  return api;
}
const ann = { jwt: { claims: { sub: 'ann' } } };

describe('events of all manifests', () => {
  it('KA-14: events of all manifests are listed with the manifest that each is about', async () => {
    const found = await page(await twoTeams(), '');
    expect(found.items.map(({ namespace, manifest }) => `${namespace}/${manifest}`)).toEqual([
      ...['team/shop', 'team/shop', 'other/web', 'team/web'],
    ]);
    expect(found.more).toBe(false);
  });

  it('the newest events come first where one wants that, and the next page has those before', async () => {
    const api = await twoTeams();
    const first = await page(api, 'order=newest&limit=2');
    expect([messages(first), first.more]).toEqual([['event 4', 'event 3'], true]);
    const second = await page(api, `order=newest&limit=2&next=${first.next}`);
    expect([messages(second), second.more]).toEqual([['event 2', 'event 1'], false]);
    expect(messages(await page(api, `order=newest&since=${at(3)}`))).toEqual(['event 4', 'event 3']);
    expect(messages(await page(api, 'order=newest', ann))).toEqual(['event 4', 'event 2', 'event 1']);
    expect(messages(await page(api, 'order=newest&kind=RunStarted'))).toEqual(['event 2']);
    const [newest] = first.items;
    expect((await api.call('GET', `/v1/events?order=newest&since=${newest?.id}`)).status).toBe(400);
  });

  it('KA-13: a caller sees events of the namespaces in which it is a viewer, and of no other', async () => {
    const api = await twoTeams();
    expect(messages(await page(api, '', ann))).toEqual(['event 1', 'event 2', 'event 4']);
    expect((await api.call('GET', '/v1/events?namespace=other', { as: ann })).status).toBe(403);
    expect((await api.call('GET', '/v1/events', { as: { jwt: { claims: { sub: 'eve' } } } })).status).toBe(403);
  });

  it('changes of Secrets are shown to viewers of the namespace, changes of roles to admins of all', async () => {
    const api = await twoTeams();
    const caller = { kind: 'token' as const, name: 'bob', claims: {}, from: '::1', grants: [], may: () => true };
    await recordChange(api.deps, 'team', 'Secret aws stored', caller);
    await recordChange(api.deps, '@installation', 'role given', caller);
    const [secret, role] = (await page(api, 'kind=Requested')).items;
    expect([secret, role]).toEqual([
      expect.objectContaining({ namespace: 'team', message: 'Secret aws stored by bob from ::1' }),
      expect.objectContaining({ message: 'role given by bob from ::1' }),
    ]);
    expect([secret?.manifest, role?.manifest, role?.namespace]).toEqual([undefined, undefined, undefined]);
    expect([secret?.by, role?.by]).toEqual(['bob', 'bob']);
    expect(messages(await page(api, 'kind=Requested', ann))).toEqual(['Secret aws stored by bob from ::1']);
  });

  it.each([
    ['namespace=team', [1, 2, 4]],
    ['manifest=web', [3, 4]],
    ['namespace=team&manifest=web', [4]],
    ['kind=RunStarted', [2]],
    ['kind=RunStarted,StageSucceeded&manifest=shop', [1, 2]],
    ['node=web-a1b2c3d-01', [4]],
    ['group=batch', [3]],
    ['group=batch-small', [3]],
    ['group=small', []],
    [`since=${at(2)}`, [2, 3, 4]],
    ['since=2026-11-20T13:00:04%2B01:00', [4]],
  ])('events are filtered by %s', async (query, seconds) => {
    expect(messages(await page(await twoTeams(), query))).toEqual(seconds.map((second) => `event ${second}`));
  });

  it('a follower of events continues with `next`, or with the id of its last event, also after an answer without events', async () => {
    const api = await twoTeams();
    const first = await page(api, 'limit=3');
    expect([messages(first), first.more]).toEqual([['event 1', 'event 2', 'event 3'], true]);
    const second = await page(api, `limit=3&next=${first.next}`);
    const quiet = await page(api, `next=${second.next}`);
    expect(quiet).toEqual({ items: [], next: second.next, more: false });
    await api.deps.events.append({ namespace: 'team', name: 'shop' }, [event(0, { message: 'late' })]);
    expect(messages(await page(api, `next=${quiet.next}`))).toEqual(['late']);
    expect(messages(await page(api, `since=${second.items[0]?.id}`))).toEqual(['late']);
  });

  it('a filter that fits little answers with a cursor, and the pages together have every event that fits', async () => {
    const api = apiUnderTest();
    const many = Array.from({ length: 2500 }, (_, n) =>
      event(n, { kind: n % 1250 === 1249 ? 'RunFailed' : 'RunStarted' }),
    );
    await api.deps.events.append({ namespace: 'team', name: 'shop' }, many);
    const first = await page(api, 'kind=RunFailed&limit=200');
    const second = await page(api, `kind=RunFailed&limit=200&next=${first.next}`);
    expect([first.more, second.more]).toEqual([true, false]);
    expect([...messages(first), ...messages(second)]).toEqual(['event 1249', 'event 2499']);
  });

  it.each(['since=yesterday', 'kind=a-b', 'limit=0', 'node=UPPER'])(
    '%s is refused, with what it must be',
    async (query) => {
      const { status, json } = await apiUnderTest().call('GET', `/v1/events?${query}`);
      expect([status, json.code]).toEqual([400, 'InvalidInput']);
    },
  );
});
