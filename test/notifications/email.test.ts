/** E-mail of a Notification: nothing before the recipient confirmed, the same retries as other forms, and refused where no SNS is. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewEvent } from '#contracts/records.ts';
import { handler } from '#functions/tasks/send-notifications.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from '#test/api/api-under-test.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { aNotificationDocument } from './a-notification.ts';

const path = '/v1/notifications/team/alerts';
const olga = as('olga');
const [ann, bob] = ['ann@example.com', 'bob@example.com'];
const inAws = { KUBELOOM_MAIL_TOPICS: 'arn:aws:sns:eu-central-1:000000000000:kubeloom-notification_' };

let api: ApiUnderTest;
beforeEach(() => start(inAws));

async function start(environment: Readonly<Record<string, string>>) {
  api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', ...environment });
  await bindRoles(api.deps, 'team', { operator: 'olga', viewer: 'vera' });
}

const byMail = (address = ann, spec: object = {}) =>
  aNotificationDocument({ to: 'email', secretRef: undefined, address, ...spec });
const store = (body: object) => api.call('PUT', path, { body, ...olga });
async function put(address = ann, spec: object = {}) {
  const answer = await store(byMail(address, spec));
  expect(answer.status, answer.text).toBe(200);
}
const happens = (message: string, kind: NewEvent['kind'] = 'RunFailed') =>
  api.deps.events.append({ namespace: 'team', name: 'shop' }, [
    { at: api.deps.clock.now().toISOString(), level: 'error', runId: 'run-1', kind, message },
  ]);
async function step() {
  useDeps(boundedFunctions(api.deps));
  await asFunction('send-notifications', () => handler({}));
  api.deps.clock.advance(300);
}
const delivery = async () => Object((await api.call('GET', path, as('vera'))).json.status);
const texts = () => api.deps.mail.sent.map(({ to, text }) => `${to}: ${text.split('\n')[2]}`);

describe('the recipient', () => {
  it('the recipient is asked without any event, and the state says who has not confirmed', async () => {
    await put();
    expect((await delivery()).recipient).toBeUndefined();
    await step();
    await step();
    expect(api.deps.mail.asked).toEqual([ann]);
    expect(await delivery()).toMatchObject({ state: 'Waiting', recipient: 'unconfirmed' });
    api.deps.mail.confirm(ann);
    await step();
    expect(await delivery()).toMatchObject({ state: 'Waiting', recipient: 'confirmed' });
  });

  it('what happens before the confirmation is sent after it, in order and once', async () => {
    await put();
    for (const message of ['one', 'two']) await happens(message);
    for (let count = 0; count < 10; count += 1) await step();
    expect(texts()).toEqual([]);
    expect(await delivery()).toMatchObject({
      state: 'Retrying',
      attempts: 0,
      dropped: 0,
      lastFailure: { cause: 'not-confirmed' },
    });
    api.deps.mail.confirm(ann);
    await step();
    await step();
    expect(texts()).toEqual([`${ann}: one`, `${ann}: two`]);
    expect(await delivery()).toMatchObject({ state: 'Delivering', delivered: 2, dropped: 0 });
  });

  it('messages wait for a recipient for a day, and no longer', async () => {
    await put();
    await happens('old');
    await step();
    api.deps.clock.advance(25 * 3600);
    await happens('new');
    await step();
    api.deps.mail.confirm(ann);
    await step();
    expect(texts()).toEqual([`${ann}: new`]);
    expect(await delivery()).toMatchObject({ delivered: 1, dropped: 1 });
  });

  it('one who unsubscribed gets nothing and is not asked once more, until someone tests or applies it', async () => {
    await put();
    await step();
    api.deps.mail.confirm(ann);
    await step();
    api.deps.mail.unsubscribe(ann);
    await happens('one');
    for (let count = 0; count < 5; count += 1) await step();
    expect(texts()).toEqual([]);
    expect(await delivery()).toMatchObject({ recipient: 'unsubscribed', lastFailure: { cause: 'not-confirmed' } });
    expect(api.deps.mail.asked).toHaveLength(1);
    expect((await api.call('POST', `${path}/test`, olga)).status).toBe(200);
    await step();
    expect(api.deps.mail.asked).toHaveLength(2);
    await put();
    await step();
    expect(api.deps.mail.asked).toHaveLength(3);
  });

  it('another address is asked, and the one before it gets nothing any more', async () => {
    await put();
    await step();
    api.deps.mail.confirm(ann);
    await put(bob);
    await happens('one');
    await step();
    expect(api.deps.mail.asked).toEqual([ann, bob]);
    api.deps.mail.confirm(ann);
    api.deps.mail.confirm(bob);
    await step();
    expect(texts()).toEqual([`${bob}: one`]);
  });
});

describe('removal', () => {
  const isGone = async () =>
    (await api.deps.mail.send({ namespace: 'team', name: 'alerts' }, { subject: '', text: '' })).accepted === false;

  it('nothing is left of the recipient of a Notification that is deleted or gets another form', async () => {
    await put();
    await step();
    expect(await isGone()).toBe(false);
    expect((await api.call('DELETE', path, olga)).status).toBe(204);
    expect(await isGone()).toBe(true);
    await put();
    await step();
    await api.deps.secrets.put('user/team/notification-hook', { url: 'https://hooks.example.com/' });
    expect((await store(aNotificationDocument({ to: 'slack' }))).status).toBe(200);
    expect(await isGone()).toBe(true);
  });

  it('one that is deleted while its recipient is asked leaves nothing', async () => {
    await put();
    const { ready } = api.deps.mail;
    vi.spyOn(api.deps.mail, 'ready').mockImplementation(async (...given) => {
      await api.call('DELETE', path, olga);
      return ready.apply(api.deps.mail, given);
    });
    await step();
    expect(api.deps.mail.asked).toEqual([ann]);
    expect(await isGone()).toBe(true);
  });
});

describe('delivery', () => {
  it('a failure is followed by retries with pauses, six attempts in all, and makes no event', async () => {
    await put();
    await step();
    api.deps.mail.confirm(ann);
    await happens('poison');
    const before = await api.deps.feed.read({}, 1000);
    const failed = vi
      .spyOn(api.deps.mail, 'send')
      .mockResolvedValue({ accepted: false, cause: 'refused', status: 400 });
    for (let count = 0; count < 20; count += 1) await step();
    expect(failed).toHaveBeenCalledTimes(6);
    expect(await delivery()).toMatchObject({ dropped: 1, lastFailure: { cause: 'refused', status: 400 } });
    expect(await api.deps.feed.read({}, 1000)).toEqual(before);
  });

  it('a recipient whom SNS refuses to ask is a failure with its cause, without an event, too', async () => {
    await put();
    const failure = { accepted: false, cause: 'refused', status: 400 } as const;
    vi.spyOn(api.deps.mail, 'ready').mockResolvedValue({ failure });
    await step();
    expect(await delivery()).toMatchObject({ state: 'Retrying', attempts: 0, lastFailure: { cause: 'refused' } });
  });

  it('a plan that waits is sent with what decides it and the link to the console', async () => {
    await start({ ...inAws, KUBELOOM_CONSOLE_URL: 'https://console.example.com' });
    await put(ann, { events: ['approvals'] });
    await step();
    api.deps.mail.confirm(ann);
    await happens('3 machines are created; approve it with `kubeloom approve shop -n team`', 'PlanProposed');
    await step();
    const [mail] = api.deps.mail.sent;
    expect(mail?.subject).toBe('PlanProposed: team/shop (kubeloom)');
    expect(mail?.text).toContain('kubeloom approve shop -n team');
    expect(mail?.text).toContain('https://console.example.com/#/manifests/team/shop/plan');
  });
});

it('a Notification by e-mail is refused on one machine, with the forms that work', async () => {
  await start({});
  const refused = await store(byMail());
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('sends no e-mail');
  expect(refused.text).toContain('use webhook, slack or teams');
  expect(await api.deps.notifications.list()).toEqual([]);
});
