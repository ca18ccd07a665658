/** An event in the form of its receiver: a CloudEvent, a message of Slack, a card of Teams. Texts in it are shown as they are: no form reads them as markup. The one link is ours. */
import { cutText } from '../cut-text.ts';

export interface Reportable {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly level: string;
  readonly namespace: string;
  /** Absent for events of a Secret, template or roll-out. */
  readonly manifest?: string | undefined;
  readonly cluster?: string | undefined;
  readonly runId?: string | undefined;
  readonly message: string;
  readonly installation: string;
  /** Address of its page in the console; absent where the installation does not know its console. */
  readonly link?: string | undefined;
}

/** Forms that are sent over HTTPS. */
export type MessageForm = 'webhook' | 'slack' | 'teams';

export interface NotificationMessage {
  readonly contentType: string;
  readonly body: string;
}

/** An e-mail: text only. */
export interface MailMessage {
  /** At most 100 printable characters of ASCII. */
  readonly subject: string;
  readonly text: string;
}

/** What a section of Slack takes at most; cards are bounded as a whole, at 28 kB. */
const mostOfText = 3000;
const mostOfTitle = 150;
/** What SNS takes. */
const mostOfSubject = 100;

export function notificationMessage(form: MessageForm, event: Reportable): NotificationMessage {
  switch (form) {
    case 'webhook':
      return { contentType: 'application/cloudevents+json; charset=utf-8', body: JSON.stringify(cloudEvent(event)) };
    case 'slack':
      return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(slackMessage(event)) };
    case 'teams':
      return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(teamsMessage(event)) };
  }
}

/** CloudEvents 1.0, structured. */
function cloudEvent({ id, at, installation, ...event }: Reportable) {
  return {
    specversion: '1.0',
    id,
    source: `/kubeloom/${installation}`,
    type: `dev.kubeloom.${event.kind}`,
    time: at,
    subject: subjectOf(event),
    datacontenttype: 'application/json',
    data: { ...event, at, message: cutText(event.message, mostOfText) },
  };
}

function slackMessage(event: Reportable) {
  const title = titleOf(event);
  const text = cutText(event.message, mostOfText);
  return {
    // Notifications of a phone show it; the only part that Slack reads for links and mentions.
    text: escapedForSlack(`${title}: ${cutText(event.message, 300)}`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      { type: 'section', text: { type: 'plain_text', text, emoji: false } },
      ...(event.link === undefined ? [] : [slackLink(event.link)]),
      { type: 'context', elements: [{ type: 'plain_text', text: footOf(event), emoji: false }] },
    ],
  };
}

/** Whatever its event says, the subject is one line. */
export function mailMessage(event: Reportable): MailMessage {
  const subject = `${event.kind}: ${subjectOf(event)} (${event.installation})`.replaceAll(/[^ -~]/g, '?');
  const link = event.link === undefined ? [] : [`${linkTitle}: ${event.link}`, ''];
  return {
    subject: subject.slice(0, mostOfSubject).trim(),
    text: [titleOf(event), '', cutText(event.message, mostOfText), '', ...link, footOf(event)].join('\n'),
  };
}

const linkTitle = 'Open in the console';

/** A button would ask for an app that answers it. */
const slackLink = (url: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url, text: linkTitle }] }],
});

/** A text run has no markup, unlike a text block. */
function teamsMessage(event: Reportable) {
  const line = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(titleOf(event), { weight: 'Bolder', ...(event.level === 'error' && { color: 'Attention' }) }),
      line(cutText(event.message, mostOfText)),
      line(footOf(event), { isSubtle: true, size: 'Small' }),
    ],
    ...(event.link !== undefined && {
      actions: [{ type: 'Action.OpenUrl', title: linkTitle, url: event.link }],
    }),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function subjectOf({ namespace, manifest, cluster }: Pick<Reportable, 'namespace' | 'manifest' | 'cluster'>): string {
  return [namespace, manifest, cluster].filter((part) => part !== undefined).join('/');
}

const titleOf = (event: Reportable): string => cutText(`${event.kind}: ${subjectOf(event)}`, mostOfTitle);

function footOf({ installation, at, runId }: Reportable): string {
  return [installation, at, ...(runId ? [`run ${runId}`] : [])].join(' · ');
}

const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
