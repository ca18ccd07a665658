/** `Receivers` over HTTPS: one bounded request, to a public address only, whose answer is its status and nothing else. */
import { createHmac } from 'node:crypto';
import type { DeliveryCause } from '#domain/notifications/delivery-causes.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';
import type { Receivers, SentMessage } from '../ports.ts';
import { askPublicly, RefusedAddress } from './public-https.ts';

export interface HttpReceiversOptions {
  /** Hosts, with port if any, that may have a private address. */
  readonly privateHosts: readonly string[];
  /** For a whole answer. @default 10,000 */
  readonly timeoutMs?: number;
}

/** An answer is read to so many bytes, and dropped. */
const mostBytes = 64_000;

export class HttpReceivers implements Receivers {
  readonly #options: Required<HttpReceiversOptions>;

  constructor({ privateHosts, timeoutMs = 10_000 }: HttpReceiversOptions) {
    this.#options = { privateHosts, timeoutMs };
  }

  async send({ url, signingKey, id, sentAt, message: { contentType, body } }: SentMessage): Promise<DeliveryOutcome> {
    const headers = {
      'content-type': contentType,
      'user-agent': 'kubeloom',
      ...(signingKey !== undefined && signatureOf({ id, sentAt, body, signingKey })),
    };
    try {
      const asked = { method: 'POST', ...this.#options, mostBytes, body, headers };
      const { status } = await askPublicly(url, asked);
      return outcomeOf(status);
    } catch (error) {
      return { accepted: false, cause: causeOf(error) };
    }
  }
}

/** Headers of Standard Webhooks 1.0: an HMAC of id, time and body. The receiver refuses old times, and ids that it knows. */
function signatureOf({
  id,
  sentAt,
  body,
  signingKey,
}: Pick<SentMessage, 'id' | 'sentAt'> & { readonly body: string; readonly signingKey: string }) {
  const timestamp = String(Math.floor(Date.parse(sentAt) / 1000));
  const key = Buffer.from(signingKey.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

function outcomeOf(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { accepted: true };
  if (status >= 300 && status < 400) return { accepted: false, cause: 'redirect', status };
  return { accepted: false, cause: status >= 500 ? 'server-error' : 'refused', status };
}

const causes: Readonly<Record<string, DeliveryCause>> = {
  timeout: 'timeout',
  'too large': 'answer-too-large',
  ENOTFOUND: 'name-not-found',
  EAI_AGAIN: 'name-not-found',
};

function causeOf(error: unknown): DeliveryCause {
  if (error instanceof RefusedAddress) return 'private-address';
  return causes[String(Object(error).code)] ?? 'not-reached';
}
