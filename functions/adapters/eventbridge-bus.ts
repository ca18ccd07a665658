/** `EventBus` on EventBridge: one signed request for ten events. Its client would be a tenth of every function's bundle. */
import { SignatureV4 } from '@smithy/signature-v4';
import { z } from 'zod';
import { NodeHash } from '#contracts/node-hash.ts';
import { PipelineError } from '#domain/errors.ts';
import type { EventBus, StoredFeedEvent } from '../ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const Answer = z.object({
  FailedEntryCount: z.number(),
  Entries: z.array(z.object({ ErrorCode: z.string().optional(), ErrorMessage: z.string().optional() })),
});

/** What EventBridge takes in one request: so many entries, and so many bytes of all of them. */
const entriesAtOnce = 10;
const bytesAtOnce = 200_000;

export class EventBridgeBus implements EventBus {
  readonly #name: string;
  readonly #environment: Environment;

  /** Without a name it publishes nothing. Endpoint, region and credentials are those of the function's environment. */
  constructor(name: string, environment: Environment) {
    this.#name = name;
    this.#environment = environment;
  }

  async publish(events: readonly StoredFeedEvent[]): Promise<void> {
    if (this.#name === '') return;
    let waiting: { readonly entry: object; readonly size: number }[] = [];
    const send = async (): Promise<void> => {
      if (waiting.length > 0) await this.#put(waiting.map(({ entry }) => entry));
      waiting = [];
    };
    for (const event of events) {
      const entry = entryOf(this.#name, event);
      const size = Buffer.byteLength(JSON.stringify(entry));
      const full = waiting.reduce((sum, other) => sum + other.size, size) > bytesAtOnce;
      if (full || waiting.length === entriesAtOnce) await send();
      waiting.push({ entry, size });
    }
    await send();
  }

  async #put(entries: readonly object[]): Promise<void> {
    const { AWS_ENDPOINT_URL_EVENTBRIDGE: given, AWS_REGION: region = '' } = this.#environment;
    const url = new URL(given ?? `https://events.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
    const request = {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: '/',
      query: {},
      ...(url.port !== '' && { port: Number(url.port) }),
      headers: {
        host: url.host,
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSEvents.PutEvents',
      },
      body: JSON.stringify({ Entries: entries }),
    };
    const { headers } = await this.#signer(region).sign(request);
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: request.body,
      signal: AbortSignal.timeout(20_000),
      redirect: 'error',
    });
    const text = await response.text();
    if (!response.ok) throw refused(`${response.status} ${text.slice(0, 300)}`);
    const answer = Answer.parse(JSON.parse(text));
    const fault = answer.Entries.find(({ ErrorCode }) => ErrorCode !== undefined);
    if (fault)
      throw refused(`${answer.FailedEntryCount} of ${entries.length}: ${fault.ErrorCode} ${fault.ErrorMessage}`);
  }

  #signer(region: string): SignatureV4 {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = this.#environment;
    const credentials = {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
    };
    return new SignatureV4({ service: 'events', region, credentials, sha256: NodeHash });
  }
}

/** As rules see it: `detail-type` is the kind of the event. */
function entryOf(bus: string, { id, manifest, event }: StoredFeedEvent): object {
  return {
    EventBusName: bus,
    Source: 'kubeloom',
    DetailType: event.kind,
    Time: Date.parse(event.at) / 1000,
    Detail: JSON.stringify({ id, namespace: manifest.namespace, manifest: manifest.name, ...event }),
  };
}

const refused = (cause: string): PipelineError =>
  new PipelineError('ServiceUnavailable', `the event bus did not accept all events: ${cause}`);
