/** `SnsMail` against a simulated SNS, which answers in the shapes of the real one, and against one that fails or lies. */
import {
  AuthorizationErrorException,
  CreateTopicCommand,
  DeleteTopicCommand,
  ListSubscriptionsByTopicCommand,
  NotFoundException,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SnsMail } from '#adapters/sns-mail.ts';
import { InMemoryMail } from '#test/fakes/in-memory-mail.ts';
import { type MailUnderTest, mailContract } from './mail.contract.ts';
import { forgetSent, notCalled, recordedClient, recordedPort, sentAndAllowed } from './recorded-actions.ts';

const topics = 'arn:aws:sns:eu-central-1:000000000000:kubeloom-notification_';
const sns = mockClient(SNSClient);
const mailOnSns = () =>
  recordedPort('mail', new SnsMail(recordedClient('sns', new SNSClient({ region: 'eu-central-1' })), topics));
const failure = (httpStatusCode: number) => ({ $metadata: { httpStatusCode }, message: 'planted words' });

beforeAll(forgetSent);
afterAll(() => sns.restore());
beforeEach(() => sns.reset());

interface Known {
  readonly Endpoint: string;
  SubscriptionArn: string;
}

/** What the documentation of SNS says: topics are made once, a pending subscription has no ARN, a deleted topic ends all. */
function simulatedSns(): MailUnderTest {
  const stored = new Map<string, Known[]>();
  const [asked, sent]: [string[], { to: string; subject: string; text: string }[]] = [[], []];
  const of = (topic: string | undefined): Known[] => {
    const found = stored.get(topic ?? '');
    if (found === undefined) throw new NotFoundException({ ...failure(404), message: 'Topic does not exist' });
    return found;
  };
  sns.on(CreateTopicCommand).callsFake(({ Name }) => {
    const TopicArn = topics.replace(/[^:]*$/, Name);
    if (!stored.has(TopicArn)) stored.set(TopicArn, []);
    return { TopicArn };
  });
  sns.on(DeleteTopicCommand).callsFake(({ TopicArn }) => {
    stored.delete(TopicArn);
    return {};
  });
  sns.on(ListSubscriptionsByTopicCommand).callsFake(({ TopicArn }) => ({
    Subscriptions: of(TopicArn).map((one) => ({ ...one, Owner: '000000000000', Protocol: 'email', TopicArn })),
  }));
  sns.on(SubscribeCommand).callsFake(({ TopicArn, Endpoint }) => {
    asked.push(Endpoint);
    if (!of(TopicArn).some((one) => one.Endpoint === Endpoint))
      of(TopicArn).push({ Endpoint, SubscriptionArn: 'PendingConfirmation' });
    return { SubscriptionArn: 'pending confirmation' };
  });
  sns.on(PublishCommand).callsFake(({ TopicArn, Subject, Message }) => {
    for (const { Endpoint, SubscriptionArn } of of(TopicArn))
      if (SubscriptionArn.startsWith('arn:')) sent.push({ to: Endpoint, subject: Subject, text: Message });
    return { MessageId: '567910cd-659e-55d4-8ccb-5aaf14679dc0' };
  });
  const change = (address: string, to: (topic: string, known: Known) => readonly Known[]) => {
    for (const [topic, all] of stored)
      stored.set(
        topic,
        all.flatMap((one) => (one.Endpoint === address ? to(topic, one) : [one])),
      );
  };
  return {
    mail: mailOnSns(),
    asked,
    sent,
    confirm: (address) =>
      change(address, (topic, one) => [{ ...one, SubscriptionArn: `${topic}:8a21d249-4329-4871-acc6-7be709c6ea7f` }]),
    unsubscribe: (address) => change(address, () => []),
  };
}

mailContract('SNS', simulatedSns);
mailContract('in memory', () => {
  const mail = new InMemoryMail();
  return {
    mail,
    asked: mail.asked,
    sent: mail.sent,
    confirm: (address) => mail.confirm(address),
    unsubscribe: (address) => mail.unsubscribe(address),
  };
});

describe('SnsMail', () => {
  const recipient = { namespace: 'team', name: 'alerts', address: 'ann@example.com' };
  const message = { subject: 'RunFailed', text: 'text' };
  const created = () => sns.commandCalls(CreateTopicCommand).map(({ args }) => args[0].input);

  it('a topic has the name of its Notification, and of all principals those with a role may publish', async () => {
    await simulatedSns().mail.ready(recipient, false);
    expect(created().map(({ Name }) => Name)).toEqual(['kubeloom-notification_team_alerts']);
    const { Statement } = JSON.parse(created()[0]?.Attributes?.Policy ?? '');
    expect(Statement).toMatchObject([{ Effect: 'Deny', Resource: `${topics}team_alerts` }]);
  });

  it('a name that SNS would not take is the same shorter one each time, and another one for another Notification', async () => {
    const { mail } = simulatedSns();
    const long = (end: string) => ({ ...recipient, name: `${'n'.repeat(250)}${end}` });
    for (const end of ['a', 'a', 'b']) await mail.ready(long(end), false);
    const names = created().map(({ Name = '' }) => Name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^kubeloom-notification_[0-9a-f]{40}$/);
  });

  it.each([
    [new AuthorizationErrorException(failure(403)), { cause: 'refused', status: 403 }],
    [Object.assign(new Error('x'), { name: 'ThrottledException', ...failure(429) }), { cause: 'server-error' }],
    [Object.assign(new Error('x'), failure(503)), { cause: 'server-error', status: 503 }],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), { cause: 'timeout' }],
    [Object.assign(new Error('x'), { code: 'ENOTFOUND' }), { cause: 'not-reached' }],
  ])('a failure of SNS is a cause without its words (%#)', async (error, cause) => {
    sns.onAnyCommand().rejects(error);
    const mail = mailOnSns();
    expect(await mail.ready(recipient, false)).toMatchObject({ failure: { accepted: false, ...cause } });
    const outcome = await mail.send(recipient, message);
    expect(outcome).toMatchObject({ accepted: false, ...cause });
    expect(JSON.stringify(outcome)).not.toContain('planted');
  });

  it.each([
    [[{ SubscriptionArn: 1, Protocol: 'email', Endpoint: recipient.address }]],
    [[{ SubscriptionArn: `${topics}team_alerts:1`, Protocol: 'email' }]],
    [[{ SubscriptionArn: `${topics}team_alerts:1`, Protocol: 'email', Endpoint: 'x'.repeat(100_000) }]],
    [[{ SubscriptionArn: '\u001b[2J', Protocol: 'email', Endpoint: recipient.address }]],
    ['confirmed'],
    [{ length: 1 }],
  ])('an answer of another form confirms no one (%#)', async (answer) => {
    sns.on(ListSubscriptionsByTopicCommand).resolves({ Subscriptions: answer as never });
    expect(await mailOnSns().ready(recipient, false)).toMatchObject({ failure: { cause: 'server-error' } });
    expect(sns.commandCalls(SubscribeCommand)).toEqual([]);
  });

  it.each([
    [`${topics}team_other:1`, 'email'],
    ['PendingConfirmation', 'email'],
    [`${topics}team_alerts:1`, 'sms'],
  ])(
    'a subscription that is not a confirmed one of this topic by e-mail (%s, %s) confirms no one',
    async (arn, form) => {
      const own = { SubscriptionArn: arn, Protocol: form, Endpoint: recipient.address };
      sns.on(ListSubscriptionsByTopicCommand).resolves({ Subscriptions: [own] });
      expect(await mailOnSns().ready(recipient, false)).toEqual({ recipient: 'unconfirmed' });
    },
  );

  it('the rights of each method are what it sends, no more and no less', () => {
    const { sent, allowed } = sentAndAllowed();
    expect(notCalled('mail')).toEqual([]);
    expect(allowed).toEqual(sent);
  });
});
