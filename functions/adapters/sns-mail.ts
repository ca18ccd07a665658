/** `Mail` by SNS: a topic for each Notification, with its recipient as the only subscription. */
import { createHash } from 'node:crypto';
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  SNSClient,
  type SNSClientConfig,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { z } from 'zod';
import type { NotificationKey } from '#contracts/notifications.ts';
import type { MailMessage } from '#domain/notifications/messages.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import type { Mail, MailRecipient, Readiness } from '../mail-port.ts';

type Failure = Extract<DeliveryOutcome, { accepted: false }>;

const mostOfName = 256;
const longestMs = 10_000;

/** Instead of an ARN: `PendingConfirmation`, and `Deleted` for a while. */
const Subscriptions = z
  .array(
    z.object({
      SubscriptionArn: closedText(1000, /^[A-Za-z][\w:-]*$/),
      Protocol: closedText(50, /^[a-z-]+$/),
      Endpoint: closedText(2048, /^[!-~]+$/),
    }),
  )
  .max(1000)
  .default([]);
type Subscription = z.infer<typeof Subscriptions>[number];

export class SnsMail implements Mail {
  readonly #client: SNSClient;
  readonly #topics: string;

  /** `topics`: the ARN that those of all topics begin with. */
  constructor(client: SNSClient, topics: string) {
    this.#client = client;
    this.#topics = topics;
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: SNSClientConfig, topics: string): SnsMail {
    return new SnsMail(new SNSClient(options), topics);
  }

  async ready(recipient: MailRecipient, again: boolean): Promise<Readiness> {
    const topic = this.#topicOf(recipient);
    try {
      const found = await this.#subscriptionsOf(topic);
      const isOwn = ({ Protocol, Endpoint }: Subscription): boolean =>
        Protocol === 'email' && Endpoint.toLowerCase() === recipient.address.toLowerCase();
      // One that waits for its confirmation cannot be ended but with its topic.
      const hasOthers = found?.some((one) => !isOwn(one)) ?? false;
      if (hasOthers) await this.remove(recipient);
      const isNew = found === undefined || hasOthers;
      if (isNew) await this.#create(topic);
      const own = isNew ? undefined : found.find(isOwn);
      if (own?.SubscriptionArn.startsWith(`${topic}:`)) return { recipient: 'confirmed' };
      if (!isNew && !again) return { recipient: own === undefined ? 'unsubscribed' : 'unconfirmed' };
      const subscribed = { TopicArn: topic, Protocol: 'email', Endpoint: recipient.address };
      await this.#client.send(new SubscribeCommand(subscribed), bounded());
      return { recipient: 'unconfirmed' };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  async send(key: NotificationKey, { subject, text }: MailMessage): Promise<DeliveryOutcome> {
    const message = { TopicArn: this.#topicOf(key), Subject: subject, Message: text };
    try {
      await this.#client.send(new PublishCommand(message), bounded());
      return { accepted: true };
    } catch (error) {
      return failureOf(error);
    }
  }

  async remove(key: NotificationKey): Promise<void> {
    await this.#client.send(new DeleteTopicCommand({ TopicArn: this.#topicOf(key) }), bounded());
  }

  /** Undefined: there is no such topic. */
  async #subscriptionsOf(topic: string): Promise<readonly Subscription[] | undefined> {
    try {
      const answer = await this.#client.send(new ListSubscriptionsByTopicCommand({ TopicArn: topic }), bounded());
      return Subscriptions.parse(answer.Subscriptions).filter(({ SubscriptionArn: arn }) => arn !== 'Deleted');
    } catch (error) {
      if (/^NotFound/.test(String(Object(error).name))) return undefined;
      throw error;
    }
  }

  /** Its policy takes the place of that of SNS, which lets the whole account publish: roles alone say who may. */
  async #create(topic: string): Promise<void> {
    const onlyByTls = {
      Effect: 'Deny',
      Principal: '*',
      Action: 'sns:Publish',
      Resource: topic,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [onlyByTls] });
    const command = new CreateTopicCommand({ Name: topic.slice(topic.lastIndexOf(':') + 1), Attributes: { Policy } });
    await this.#client.send(command, bounded());
  }

  /** A namespace has no `_`, so no two have the same. */
  #topicOf({ namespace, name }: NotificationKey): string {
    const whole = `${this.#topics}${namespace}_${name}`;
    if (whole.length - whole.lastIndexOf(':') - 1 <= mostOfName) return whole;
    return `${this.#topics}${createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 40)}`;
  }
}

const bounded = () => ({ abortSignal: AbortSignal.timeout(longestMs) });

/** Nothing of what SNS says is kept. */
function failureOf(error: unknown): Failure {
  const { name, $metadata } = Object(error);
  if (name === 'AbortError' || name === 'TimeoutError') return { accepted: false, cause: 'timeout' };
  if (error instanceof z.ZodError) return { accepted: false, cause: 'server-error' };
  const status = Number($metadata?.httpStatusCode);
  if (!Number.isInteger(status)) return { accepted: false, cause: 'not-reached' };
  const isTheirs = status >= 500 || status === 429 || /Thrott/.test(String(name));
  return { accepted: false, cause: isTheirs ? 'server-error' : 'refused', status };
}
