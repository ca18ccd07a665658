/**
 * The API for agents in clusters on hosts of this machine: HTTPS on 127.0.0.1, with a certificate of the machine's own authority. Their
 * packets to `doorAddress`, an address that is nowhere else (RFC 5737), are led here by `local/hosts/lib/door.sh`. Nothing but the routes of agents is served.
 */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import { problem } from '../access/gateway-problem.ts';
import { doorCertificate } from './authority.ts';

const doorAddress = '192.0.2.1';
export const doorUrl = `https://${doorAddress}`;
const routesOfAgents = /^\/v1\/agent\/[\w/-]+$/;
const renewEveryMs = 86_400_000;

export interface AgentsDoor {
  /** Certificate of its authority, PEM. */
  readonly authority: string;
  readonly port: number;
  /** Requests are refused with 503 before. */
  lead(apiUrl: string): void;
  close(): Promise<void>;
}

/** `directory`: of its certificates. `port`: taken when it is free. */
export async function openAgentsDoor(
  directory: string,
  { port, logger }: { readonly port: number | undefined; readonly logger: Logger },
): Promise<AgentsDoor> {
  const { authority, certificate, key } = await doorCertificate(directory, doorAddress);
  let api: string | undefined;
  const server = createServer({ key, cert: certificate }, (asked, answer) => {
    if (api === undefined) return problem(answer, 503, 'Unavailable', 'the platform starts; ask again in a moment');
    if (!routesOfAgents.test(asked.url ?? ''))
      return problem(answer, 404, 'NotFound', 'only the routes of agents are served here');
    passOn(new URL(asked.url ?? '/', api), asked, answer);
  });
  await listen(server, port).catch(() => listen(server, 0));
  const renew = async (): Promise<void> => {
    try {
      const { certificate: cert, key: renewed } = await doorCertificate(directory, doorAddress);
      server.setSecureContext({ key: renewed, cert });
    } catch (error) {
      logger.error('the certificate for agents could not be renewed', { cause: messageOf(error) });
    }
  };
  const timer = setInterval(() => void renew(), renewEveryMs).unref();
  return {
    authority,
    port: (server.address() as AddressInfo).port,
    lead(apiUrl) {
      api = apiUrl;
    },
    close() {
      clearInterval(timer);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function passOn(url: URL, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked;
  const passed = request(url, { method, headers: { ...headers, host: url.host } }, (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}

function listen(server: Server, port: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port ?? 0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
