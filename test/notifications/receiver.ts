/** A receiver of notifications on 127.0.0.1: https, with an answer for each request. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { trust } from '#test/templates/git-server.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly received: readonly Received[];
  /** From now on; @default 204 */
  answer(how: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end('an answer that is never read');
  };

export async function startReceiver(): Promise<Receiver> {
  const root = mkdtempSync(join(tmpdir(), 'kubeloom-receiver-'));
  const { key, certificate } = selfSigned(root, 'receiver');
  const received: Received[] = [];
  let how: (response: ServerResponse) => void = status(204);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
      how(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  trust({ certificate });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      how = next;
    },
    async close() {
      trust();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}
