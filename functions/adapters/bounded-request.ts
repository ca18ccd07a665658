/** One request over HTTP or HTTPS whose answer is bounded in time and in bytes. No redirect is followed, nothing is unpacked. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps, type RequestOptions } from 'node:https';

export interface BoundedRequest {
  /** @default GET */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole answer. */
  readonly timeoutMs: number;
  /** Most bytes of the body of the answer, as it comes. */
  readonly mostBytes: number;
  /** PEM of the authority of the server's certificate. @default those of Node */
  readonly ca?: string | undefined;
  /** Finds the address at which the connection is made. @default that of Node */
  readonly lookup?: RequestOptions['lookup'];
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The answer did not come in time, or is too large. */
class BoundReached extends Error {
  readonly code: 'timeout' | 'too large';

  constructor(code: BoundReached['code'], message: string) {
    super(message);
    this.name = 'BoundReached';
    this.code = code;
  }
}

/** Throws `BoundReached`, or the error of the connection. */
export async function boundedRequest(url: string | URL, asked: BoundedRequest): Promise<BoundedAnswer> {
  const { timeoutMs, mostBytes, body, ...options } = asked;
  const signal = AbortSignal.timeout(timeoutMs);
  const send = new URL(url).protocol === 'https:' ? overHttps : overHttp;
  try {
    // A connection that was kept has an address that this lookup did not find.
    const agent = asked.lookup && { agent: false };
    // One that is kept may have been closed by the host when it is used again, which a function that slept notices too late.
    const headers = { ...options.headers, connection: 'close' };
    const request = send(url, { ...options, ...agent, headers, signal });
    const answered = once(request, 'response');
    // What fails after the head of the answer fails its body, too.
    request.on('error', () => undefined).end(body);
    const [response]: IncomingMessage[] = await answered;
    return {
      status: response?.statusCode ?? 0,
      headers: response?.headers ?? {},
      body: await bodyOf(response, mostBytes),
    };
  } catch (error) {
    if (signal.aborted) throw new BoundReached('timeout', `no answer within ${timeoutMs / 1000} s`);
    throw error;
  }
}

async function bodyOf(response: AsyncIterable<Buffer> | undefined, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response ?? []) {
    size += piece.length;
    if (size > mostBytes) throw new BoundReached('too large', `its answer is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
