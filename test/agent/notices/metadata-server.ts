/** Metadata services of the clouds on the loopback, in their real form: what a machine without a notice is answered, and with one. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The notices of one machine, which a test changes. */
export interface Announced {
  aws: { action?: object; rebalance?: object; maintenance: object[] };
  azure: object[];
  gcp: { preempted: 'TRUE' | 'FALSE'; maintenance: string };
}

export interface MetadataServer {
  readonly base: string;
  readonly announced: Announced;
  /** Tokens of IMDSv2 that it gave out before are worth nothing now. */
  forgetTokens(): void;
  close(): Promise<void>;
}

const machineName = 'work-bbbbbbb-01';

export async function metadataServer(): Promise<MetadataServer> {
  const announced: Announced = {
    aws: { maintenance: [] },
    azure: [],
    gcp: { preempted: 'FALSE', maintenance: 'NONE' },
  };
  const tokens = new Set<string>();
  const server = createServer((request, response) => {
    const { status, text, headers } = answerTo(request, announced, tokens);
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    announced,
    forgetTokens: () => tokens.clear(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function answerTo({ method, url = '', headers }: IncomingMessage, announced: Announced, tokens: Set<string>): Answered {
  if (url.startsWith('/metadata/')) return azure(url, headers, announced.azure);
  if (url.startsWith('/computeMetadata/')) return gcp(url, headers, announced.gcp);
  if (method === 'PUT' && url === '/latest/api/token') {
    if (!headers['x-aws-ec2-metadata-token-ttl-seconds']) return { status: 400, text: '' };
    const token = `AQAEA${tokens.size}${'b'.repeat(50)}==`;
    tokens.add(token);
    return { status: 200, text: token };
  }
  if (!tokens.has(String(headers['x-aws-ec2-metadata-token']))) return { status: 401, text: '' };
  const { action, rebalance, maintenance } = announced.aws;
  const found = {
    '/latest/meta-data/spot/instance-action': action,
    '/latest/meta-data/events/recommendations/rebalance': rebalance,
    '/latest/meta-data/events/maintenance/scheduled': maintenance,
  }[url];
  if (found === undefined) return { status: 404, text: '<?xml version="1.0" encoding="iso-8859-1"?><html>404</html>' };
  return { status: 200, text: JSON.stringify(found) };
}

function azure(url: string, headers: IncomingMessage['headers'], events: readonly object[]): Answered {
  if (headers.metadata !== 'true')
    return { status: 400, text: '{"error":"Bad request. Required metadata header not specified"}' };
  if (url === '/metadata/instance/compute/name?api-version=2021-02-01&format=text')
    return { status: 200, text: machineName };
  if (url !== '/metadata/scheduledevents?api-version=2020-07-01') return { status: 404, text: '' };
  return { status: 200, text: JSON.stringify({ DocumentIncarnation: events.length, Events: events }) };
}

function gcp(url: string, headers: IncomingMessage['headers'], { preempted, maintenance }: Announced['gcp']): Answered {
  if (headers['metadata-flavor'] !== 'Google') return { status: 403, text: 'Missing Metadata-Flavor:Google header.' };
  const google = { 'Metadata-Flavor': 'Google', ETag: '41c02d0a41c02d0a' };
  if (url === '/computeMetadata/v1/instance/preempted') return { status: 200, text: preempted, headers: google };
  if (url === '/computeMetadata/v1/instance/maintenance-event')
    return { status: 200, text: maintenance, headers: google };
  return { status: 404, text: '', headers: google };
}

/** An event of Azure about this machine. */
export const azureEvent = (EventType: string, more: object = {}): object => ({
  EventId: 'C7061BAC-AFDC-4513-B24B-AA5F13A16123',
  EventType,
  ResourceType: 'VirtualMachine',
  Resources: [machineName],
  EventStatus: 'Scheduled',
  NotBefore: 'Mon, 11 Apr 2027 22:26:58 GMT',
  Description: 'Virtual machine is being paused because of a memory-preserving Live Migration operation.',
  EventSource: 'Platform',
  DurationInSeconds: 5,
  ...more,
});

/** Scheduled maintenance of AWS. */
export const awsEvent = (Code: string, inMinutes: number, more: object = {}): object => ({
  NotBefore: awsTime(new Date(Date.now() + inMinutes * 60_000)),
  Code,
  Description: 'scheduled reboot',
  EventId: 'instance-event-0d59937288b749b32',
  NotAfter: awsTime(new Date(Date.now() + (inMinutes + 120) * 60_000)),
  State: 'active',
  ...more,
});

/** `21 Jan 2019 09:00:43 GMT` */
const awsTime = (date: Date): string => date.toUTCString().replace(/^[A-Za-z]+, /, '');
