/** Requests as bytes on a socket: what an HTTP library would tidy up before it leaves. */
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends the bytes and reads until the server closes; `Connection: close` belongs into them. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(parse(Buffer.concat(pieces).toString('utf8'))));
  });
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') };
}

/** A request with exactly this target and these headers. */
export function rawRequest(
  method: string,
  target: string,
  { headers = {}, body = '' }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): string {
  const all = { host: '127.0.0.1', connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
