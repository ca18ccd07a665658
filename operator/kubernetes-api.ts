/** Requests to a Kubernetes API server: JSON in and out, and watches that only say that something happened. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { parseJson } from '#domain/json.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { ListReader } from './list-reader.ts';

export interface KubernetesAccess {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority?: string;
  /** Asked for each request: tokens of service accounts are renewed. */
  readonly token: () => Promise<string>;
  /** @default 30,000 */
  readonly timeoutMs?: number;
}

/** The server answered, and it was not a yes. */
export class KubernetesRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'KubernetesRefusal';
    this.status = status;
  }
}

/** For `catch`: undefined for the answer that there is no such thing. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof KubernetesRefusal && error.status === 404) return undefined;
  throw error;
}

export interface KubernetesRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** @default application/json */
  readonly contentType?: string;
  /** @default application/json */
  readonly accept?: string;
  /** Lists only: selects what is kept of each item as soon as it arrives. @default the answer is parsed as a whole */
  readonly kept?: (item: unknown) => unknown;
}

export interface Watch {
  /** Settles when the server ends it, or something between does; never rejects. */
  readonly ended: Promise<void>;
  stop(): void;
}

export type KubernetesApi = ReturnType<typeof kubernetesApi>;

export function kubernetesApi({ server, authority, token, timeoutMs = 30_000 }: KubernetesAccess) {
  const isHttps = server.startsWith('https:');
  const agent = isHttps
    ? new HttpsAgent({ keepAlive: true, ...(authority !== undefined && { ca: authority }) })
    : new HttpAgent({ keepAlive: true });
  const send = async (method: string, path: string, asked: KubernetesRequest, signal: AbortSignal) => {
    const { query, body, contentType = 'application/json', accept = 'application/json' } = asked;
    const url = new URL(`${server}${path}`);
    for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
    const headers = {
      accept,
      authorization: `Bearer ${await token()}`,
      ...(body !== undefined && { 'content-type': contentType }),
    };
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = isHttps ? httpsRequest : httpRequest;
      const call = request(url, { method, headers, agent, signal }, resolve).on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
  const failureOf = async (response: IncomingMessage): Promise<KubernetesRefusal> => {
    const status = response.statusCode ?? 0;
    return new KubernetesRefusal(status, messageIn(await boundedText(response)) ?? `HTTP ${status}`);
  };
  const isFine = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

  return {
    /** The answer, parsed; throws `KubernetesRefusal`, or the error of a connection that failed. */
    async ask(method: string, path: string, asked: KubernetesRequest = {}): Promise<unknown> {
      const response = await send(method, path, asked, AbortSignal.timeout(timeoutMs));
      if (!isFine(response)) throw await failureOf(response);
      if (asked.kept === undefined) return JSON.parse(await boundedText(response));
      const reader = new ListReader(asked.kept);
      for await (const chunk of response.setEncoding('utf8')) reader.add(chunk);
      return reader.end();
    },
    /** Calls `happened` with each event; a connection that says nothing for `silentMs` ends. */
    async watch(
      path: string,
      query: Readonly<Record<string, string>>,
      { happened, silentMs }: { readonly happened: (event: unknown) => void; readonly silentMs: number },
    ): Promise<Watch> {
      const stopper = new AbortController();
      const unanswered = setTimeout(() => stopper.abort(), timeoutMs);
      const response = await send('GET', path, { query: { ...query, watch: 'true' } }, stopper.signal)
        .then(async (answer) => (isFine(answer) ? answer : Promise.reject(await failureOf(answer))))
        .finally(() => clearTimeout(unanswered));
      response.setTimeout(silentMs, () => response.destroy());
      // One that is stopped between two events has no reader for its error.
      response.on('error', () => {});
      const read = async (): Promise<void> => {
        let rest = '';
        for await (const chunk of response.setEncoding('utf8')) {
          const lines = `${rest}${chunk}`.split('\n');
          rest = lines.pop() ?? '';
          if (rest.length > mostCharacters) throw new RangeError('an event of a watch does not end');
          for (const line of lines) if (line !== '') happened(JSON.parse(line));
        }
      };
      // Not by the signal: where the answer has just ended, its error meets a socket that no one listens to, and ends the process.
      return { ended: read().catch(() => {}), stop: () => void response.destroy() };
    },
    close: () => agent.destroy(),
  };
}

/** One object; etcd takes 1.5 MB at most, and lists are read while they come. */
const mostCharacters = 10_000_000;

async function boundedText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > mostCharacters) throw new RangeError(`the answer has more than ${mostCharacters} characters`);
  }
  return text;
}

/** Message of a Status object. */
function messageIn(body: string): string | undefined {
  const { message } = (parseJson(body) ?? {}) as { message?: unknown };
  return typeof message === 'string' ? printableText(message, 1000) : undefined;
}
