/** The forms of a message: CloudEvents, Slack and Teams, whatever an event says. */
import { describe, expect, it } from 'vitest';
import { eventKinds } from '#domain/event-kinds.ts';
import { consoleLink } from '#domain/notifications/console-link.ts';
import { mailMessage, notificationMessage, type Reportable } from '#domain/notifications/messages.ts';
import { isNotified, notificationClasses, notifiedKinds } from '#domain/notifications/notification-events.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { hrefOf } from '../../console/routes.ts';

const event: Reportable = {
  id: '12.0',
  at: '2026-06-01T12:00:00.000Z',
  kind: 'RunFailed',
  level: 'error',
  namespace: 'team',
  manifest: 'shop',
  cluster: 'web',
  runId: 'run-1',
  message: 'quota <!channel> & [more](https://evil.example)',
  installation: 'kubeloom',
};
const bodyOf = (form: 'webhook' | 'slack' | 'teams', more: Partial<Reportable> = {}) =>
  JSON.parse(notificationMessage(form, { ...event, ...more }).body);

describe('messages', () => {
  it('a webhook gets a CloudEvent 1.0 in structured form', () => {
    expect(notificationMessage('webhook', event).contentType).toBe('application/cloudevents+json; charset=utf-8');
    expect(bodyOf('webhook')).toEqual({
      specversion: '1.0',
      id: '12.0',
      source: '/kubeloom/kubeloom',
      type: 'dev.kubeloom.RunFailed',
      time: event.at,
      subject: 'team/shop/web',
      datacontenttype: 'application/json',
      data: {
        at: event.at,
        kind: 'RunFailed',
        level: 'error',
        namespace: 'team',
        manifest: 'shop',
        cluster: 'web',
        runId: 'run-1',
        message: event.message,
      },
    });
  });

  it('Slack reads no mention, link or markup in an event', () => {
    const { text, blocks } = bodyOf('slack');
    expect(text).toBe('RunFailed: team/shop/web: quota &lt;!channel&gt; &amp; [more](https://evil.example)');
    const texts = blocks.flatMap((block: { text?: object; elements?: object[] }) => block.elements ?? [block.text]);
    expect(texts.map(({ type }: { type: string }) => type)).toEqual(['plain_text', 'plain_text', 'plain_text']);
  });

  it('Teams gets an Adaptive Card whose texts have no markup', () => {
    const { type, attachments } = bodyOf('teams');
    expect(type).toBe('message');
    expect(attachments[0].contentType).toBe('application/vnd.microsoft.card.adaptive');
    const { body } = attachments[0].content;
    expect(body.map((block: { type: string }) => block.type)).toEqual(Array(3).fill('RichTextBlock'));
    expect(body[1].inlines).toEqual([{ type: 'TextRun', text: event.message }]);
  });

  const link = 'https://console.example.com/#/manifests/team/shop';
  it('the link to the console is data of a CloudEvent, a link of Slack and an action of the card', () => {
    expect(bodyOf('webhook', { link }).data.link).toBe(link);
    expect(bodyOf('slack', { link }).blocks[2]).toEqual({
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url: link, text: 'Open in the console' }] }],
    });
    expect(bodyOf('teams', { link }).attachments[0].content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open in the console', url: link },
    ]);
    expect(JSON.stringify([bodyOf('webhook'), bodyOf('slack'), bodyOf('teams')])).not.toMatch(/link|OpenUrl/);
  });

  it.each([
    ['a run that failed', { namespace: 'team', manifest: 'shop', kind: 'RunFailed' }, 'manifests/team/shop'],
    ['a plan that waits', { namespace: 'team', manifest: 'shop', kind: 'PlanProposed' }, 'manifests/team/shop/plan'],
    ['a roll-out', { namespace: 'team', kind: 'RollOutHalted' }, 'events'],
    ['a name that is no name', { namespace: 'a/b', manifest: '?x#"', kind: 'RunFailed' }, 'manifests/a%2Fb/%3Fx%23%22'],
  ])('an event of %s leads to the page where the console shows it', (_, about, place) => {
    for (const console of ['https://console.example.com', 'https://console.example.com/'])
      expect(consoleLink(console, about)).toBe(`https://console.example.com/#/${place}`);
    expect(hrefOf(place.split('/').map(decodeURIComponent))).toBe(`#/${place}`);
    expect(consoleLink('', about)).toBeUndefined();
  });

  it.each(['webhook', 'slack', 'teams'] as const)('a message of megabytes is cut in the form of %s', (form) => {
    const { body } = notificationMessage(form, {
      ...event,
      message: 'long '.repeat(1_000_000),
      manifest: 'm'.repeat(5_000),
    });
    expect(body.length).toBeLessThan(20_000);
  });
});

describe('e-mail', () => {
  it('a mail has what happened, where and the link, as text', () => {
    const link = 'https://console.example.com/#/manifests/team/shop';
    expect(mailMessage({ ...event, link })).toEqual({
      subject: 'RunFailed: team/shop/web (kubeloom)',
      text: [
        'RunFailed: team/shop/web',
        '',
        event.message,
        '',
        `Open in the console: ${link}`,
        '',
        'kubeloom · 2026-06-01T12:00:00.000Z · run run-1',
      ].join('\n'),
    });
  });

  it.each(['a\r\nBcc: eve@example.com', '\u0000', '\u202Eevil', 'ümlaut 🎉', 'm'.repeat(5000), ' '.repeat(200)])(
    'whatever a name is, the subject is one line of ASCII that SNS takes (%j)',
    (manifest) => {
      const { subject, text } = mailMessage({ ...event, manifest, message: `${manifest}\u001b[2J` });
      expect(subject).toMatch(/^[A-Za-z][ -~]{0,98}[!-~]$/);
      expect(printableText(text, 20_000)).toBe(text);
    },
  );

  it('a mail about megabytes has less than 64 kB, which is one message of SNS', () => {
    const { text } = mailMessage({ ...event, message: '🎉'.repeat(1_000_000), manifest: '🎉'.repeat(5000) });
    expect(Buffer.byteLength(text)).toBeLessThan(64_000);
  });
});

describe('classes of events', () => {
  it('every kind of a class is a kind of event, and roll-outs are all of theirs', () => {
    const known = Object.values(eventKinds).flatMap((kinds) => Object.keys(kinds));
    expect(notifiedKinds.filter((kind) => !known.includes(kind))).toEqual([]);
    expect(notificationClasses.rollOuts).toEqual(Object.keys(eventKinds.rollOut));
  });

  it('an event that says who requested what is never sent: storing a Notification is one', () => {
    for (const kind of ['Requested', 'SecretsListed', 'KubeconfigRead']) expect(notifiedKinds).not.toContain(kind);
  });

  it.each([
    ['RunFailed', ['failures'], true],
    ['RunFailed', ['RunFailed'], true],
    ['RunFailed', ['drift', 'expiries'], false],
    ['PlanBeyondBudget', ['budgets'], true],
    ['PlanBeyondBudget', ['approvals'], true],
    ['PlanProposed', ['budgets'], false],
    ['CertificatesEnd', ['expiries'], true],
    ['RollOutHalted', ['rollOuts'], true],
  ])('%s is named by %j: %s', (kind, named, answer) => {
    expect(isNotified(kind, named)).toBe(answer);
  });
});
