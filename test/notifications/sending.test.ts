/** Notifications from the API to a real receiver: what is sent, what is retried, what is dropped, and that nothing follows from it. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { HttpReceivers } from '#adapters/http-receivers.ts';
import type { NewEvent } from '#contracts/records.ts';
import { handler } from '#functions/tasks/send-notifications.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from '#test/api/api-under-test.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { aNotificationDocument } from './a-notification.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const path = '/v1/notifications/team/alerts';
const signingkey = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const olga = as('olga');

let receiver: Receiver;
let api: ApiUnderTest;
beforeEach(async () => {
  receiver = await startReceiver();
  const receivers = new HttpReceivers({ privateHosts: [receiver.host], timeoutMs: 200 });
  api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' }, { receivers });
  await bindRoles(api.deps, 'team', { operator: 'olga', viewer: 'vera' });
  await storeSecret();
});
afterEach(() => receiver.close());

async function storeSecret(url = `https://${receiver.host}/secret-path`) {
  const metadata = { name: 'notification-hook', namespace: 'team' };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { url, signingkey } };
  const answer = await api.call('PUT', '/v1/secrets/team/notification-hook', { body, ...olga });
  expect(answer.status, answer.text).toBe(200);
}

async function put(spec: object = {}) {
  const answer = await api.call('PUT', path, { body: aNotificationDocument(spec), ...olga });
  expect(answer.status, answer.text).toBe(200);
}

const happens = (kind: NewEvent['kind'], message: string, { namespace = 'team', name = 'shop' } = {}) =>
  api.deps.events.append({ namespace, name }, [
    { at: api.deps.clock.now().toISOString(), level: 'error', runId: 'run-1', kind, message },
  ]);

async function step() {
  useDeps(boundedFunctions(api.deps));
  return asFunction('send-notifications', () => handler({}));
}

const messages = () => receiver.received.map(({ body }) => JSON.parse(body).data.message);
const delivery = async () => Object((await api.call('GET', path, as('vera'))).json.status);

describe('sending', () => {
  it('what happens after it was stored is sent once, in order, and nothing else', async () => {
    await happens('RunFailed', 'before');
    api.deps.clock.advance(1);
    await put();
    api.deps.clock.advance(1);
    await happens('RunFailed', 'one');
    await happens('RunStarted', 'not named');
    await happens('NeedsAttention', 'two');
    await step();
    await step();
    expect(messages()).toEqual(['one', 'two']);
    expect(await delivery()).toMatchObject({ state: 'Delivering', delivered: 2, dropped: 0, attempts: 0 });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('a message has a link to the console if the installation knows its address', async () => {
    await put();
    await happens('RunFailed', 'without');
    await step();
    Object.assign(api.deps.config, { KUBELOOM_CONSOLE_URL: 'https://console.example.com/console/' });
    await happens('RunFailed', 'with');
    await step();
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.link)).toEqual([
      undefined,
      'https://console.example.com/console/#/manifests/team/shop',
    ]);
  });

  it('an answer of 500 is followed by a retry after a pause, with the same id, and then by what waited', async () => {
    await put();
    await happens('RunFailed', 'one');
    await happens('RunFailed', 'two');
    receiver.answer(status(500));
    await step();
    await step();
    expect(messages()).toEqual(['one']);
    expect(await delivery()).toMatchObject({
      state: 'Retrying',
      attempts: 1,
      lastFailure: { cause: 'server-error', status: 500 },
    });
    receiver.answer(status(200));
    api.deps.clock.advance(61);
    await step();
    expect(messages()).toEqual(['one', 'one', 'two']);
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
    expect(await delivery()).toMatchObject({ state: 'Delivering', delivered: 2, dropped: 0, attempts: 0 });
  });

  it('a message that is never accepted is dropped after six attempts within an hour, and the next one follows', async () => {
    await put();
    await happens('RunFailed', 'poison');
    receiver.answer(status(400));
    for (let minutes = 0; minutes < 60; minutes += 1) {
      await step();
      api.deps.clock.advance(60);
    }
    expect(messages()).toEqual(Array(6).fill('poison'));
    expect(await delivery()).toMatchObject({ dropped: 1, attempts: 0, lastFailure: { cause: 'refused', status: 400 } });
    receiver.answer(status(200));
    await happens('RunFailed', 'next');
    await step();
    expect(messages().at(-1)).toBe('next');
  });

  it('messages wait for a day at most, and at most twenty are sent in a step', async () => {
    await put();
    await happens('RunFailed', 'old');
    api.deps.clock.advance(25 * 3600);
    for (let count = 0; count < 30; count += 1) await happens('RunFailed', `new ${count}`);
    await step();
    expect(messages()).toHaveLength(19);
    await step();
    expect(messages()).toHaveLength(30);
    expect(await delivery()).toMatchObject({ delivered: 30, dropped: 1, lastFailure: { cause: 'too-old' } });
  });

  it.each([
    ['redirect', () => receiver.answer(status(307, { location: `https://${receiver.host}/other` }))],
    ['timeout', () => receiver.answer(() => {})],
    ['answer-too-large', () => receiver.answer((response) => response.end(Buffer.alloc(3_000_000)))],
    ['private-address', () => storeSecret('https://169.254.169.254/latest/meta-data')],
    ['secret-missing', () => api.deps.secrets.remove('user/team/notification-hook')],
    ['secret-incomplete', () => api.deps.secrets.put('user/team/notification-hook', { url: 'https://example.com' })],
  ] as const)('the cause %s is in the status, without the address, the key or the answer', async (cause, prepare) => {
    await put();
    await prepare();
    await happens('RunFailed', 'one');
    await step();
    const { text } = await api.call('GET', path, olga);
    expect(JSON.parse(text).status).toMatchObject({ state: 'Retrying', lastFailure: { cause } });
    const stored = JSON.stringify(await api.deps.notifications.list());
    for (const shown of [text, stored])
      for (const hidden of ['secret-path', signingkey, 'latest/meta-data', receiver.host])
        expect(shown).not.toContain(hidden);
  });

  it('sending and failing make no event, so no notification follows from one', async () => {
    await put({ events: ['failures', 'approvals', 'drift', 'expiries', 'budgets', 'rollOuts'] });
    await happens('RunFailed', 'one');
    receiver.answer(status(500));
    const before = await api.deps.feed.read({}, 1000);
    for (let count = 0; count < 10; count += 1) {
      await step();
      api.deps.clock.advance(3600);
    }
    expect(await api.deps.feed.read({}, 1000)).toEqual(before);
  });

  it('a test message is sent once, and an event that waits for its retry is not counted for it', async () => {
    await put();
    expect((await api.call('POST', `${path}/test`, olga)).status).toBe(200);
    await step();
    await step();
    expect(messages()).toEqual(['This is a test of the Notification team/alerts.']);
    expect(await delivery()).toMatchObject({ state: 'Delivering', delivered: 1 });
  });

  it('what happens while it is suspended is not sent later', async () => {
    await put({ suspend: true });
    api.deps.clock.advance(1);
    await happens('RunFailed', 'meanwhile');
    await step();
    expect((await delivery()).state).toBe('Suspended');
    api.deps.clock.advance(1);
    await put();
    await happens('RunFailed', 'later');
    await step();
    expect(messages()).toEqual(['later']);
  });
});

describe('rights', () => {
  it('events of namespaces that its maker may not see are refused at admission, and not sent after the role is taken away', async () => {
    const body = aNotificationDocument({ namespaces: ['team', 'other'] });
    const refused = await api.call('PUT', path, { body, ...olga });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('namespace \\"other\\"');
    const spec = { role: 'viewer', namespaces: ['other'], subjects: [{ user: 'olga' }] };
    const role = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: 'guests' }, spec };
    expect((await api.call('PUT', '/v1/roles/guests', { body: role, ...as('root') })).status).toBe(200);
    await put({ namespaces: ['team', 'other'] });
    await happens('RunFailed', 'seen', { namespace: 'other' });
    await step();
    await api.call('DELETE', '/v1/roles/guests', as('root'));
    await happens('RunFailed', 'unseen', { namespace: 'other' });
    await happens('RunFailed', 'own');
    await step();
    expect(messages()).toEqual(['seen', 'own']);
  });

  it('a Notification of all namespaces needs the role in all of them', async () => {
    const body = aNotificationDocument({ namespaces: ['*'] });
    expect((await api.call('PUT', path, { body, ...olga })).status).toBe(422);
    expect((await api.call('PUT', path, { body, ...as('root') })).status).toBe(200);
    await happens('RunFailed', 'any', { namespace: 'some' });
    await step();
    expect(messages()).toEqual(['any']);
  });

  it('a Notification whose maker lost the role operator sends nothing until someone who has it applies it again', async () => {
    await put();
    await api.call('DELETE', '/v1/roles/operator', as('root'));
    await happens('RunFailed', 'one');
    await step();
    expect(messages()).toEqual([]);
    expect((await delivery()).state).toBe('Refused');
    await bindRoles(api.deps, 'team', { operator: 'olga' });
    await put();
    await step();
    expect(messages()).toEqual(['one']);
  });

  it('a viewer sees the state and may not store, test or delete it; a Secret in use is not deleted', async () => {
    await put();
    const vera = as('vera');
    const body = aNotificationDocument();
    expect((await api.call('PUT', path, { body, ...vera })).status).toBe(403);
    expect((await api.call('POST', `${path}/test`, vera)).status).toBe(403);
    expect((await api.call('DELETE', path, vera)).status).toBe(403);
    expect((await api.call('GET', path, as('stranger'))).status).toBe(403);
    expect((await api.call('DELETE', '/v1/secrets/team/notification-hook', olga)).text).toContain('team/alerts');
    expect((await api.call('DELETE', path, olga)).status).toBe(204);
    expect((await api.call('DELETE', '/v1/secrets/team/notification-hook', olga)).status).toBe(204);
  });

  it('a namespace has twenty Notifications at most', async () => {
    const named = (name: string) => ({ body: aNotificationDocument({}, { name }), ...olga });
    for (let count = 0; count < 20; count += 1)
      expect((await api.call('PUT', `/v1/notifications/team/n${count}`, named(`n${count}`))).status).toBe(200);
    expect((await api.call('PUT', '/v1/notifications/team/more', named('more'))).status).toBe(400);
    expect((await api.call('PUT', '/v1/notifications/team/n3', named('n3'))).status).toBe(200);
  });
});

it('examples/notification.yaml reports a failed run', async () => {
  const documents = parseAllDocuments(readFileSync('examples/notification.yaml', 'utf8')).map((one) => one.toJS());
  const [secret, notification] = documents;
  const own = { ...secret, stringData: { ...secret.stringData, url: `https://${receiver.host}/` } };
  expect((await api.call('PUT', '/v1/secrets/team/notification-hook', { body: own, ...olga })).status).toBe(200);
  expect((await api.call('PUT', path, { body: notification, ...olga })).status).toBe(200);
  await happens('RunFailed', 'one');
  await step();
  expect(messages()).toEqual(['one']);
});
