/** Requests to addresses that users name: https only, bounded, and never to a private network that the operator has not allowed. */
import { type LookupAddress, lookup } from 'node:dns';
import { request } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export interface HttpsAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Of a redirect. */
  readonly location?: string | undefined;
}

export interface PublicRequest extends PublicFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PublicFile {
  readonly timeoutMs: number;
  /** Of the answer. */
  readonly mostBytes: number;
  /** Hosts, with port if any, that may have a private address. */
  readonly privateHosts: readonly string[];
}

/** The host has an address that is not of the public internet. */
export class RefusedAddress extends Error {
  readonly fix: string;

  constructor(host: string) {
    super(`${host} is in a private network`);
    this.fix = 'use a public host, or ask the operator to add it to KUBELOOM_TEMPLATE_PRIVATE_HOSTS';
  }
}

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv4');
// Also what carries an IPv4 address inside and may be unpacked on the way: old forms, translators, tunnels.
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv6');

/** True for addresses that are not of the public internet; IPv4 mapped into IPv6 counts as what it is. */
export function isPrivateAddress(address: string): boolean {
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Posts once, follows no redirect. Throws `RefusedAddress`, and an `Error` with the cause when there is no answer. */
export function postPublicly(url: string, options: PublicRequest): Promise<HttpsAnswer> {
  return askPublicly('POST', url, options);
}

/** Gets once, with the same promises. */
export function getPublicly(url: string, options: Omit<PublicRequest, 'body'>): Promise<HttpsAnswer> {
  return askPublicly('GET', url, { ...options, body: '' });
}

const mostRedirects = 5;

/** The answer at the end of redirects, each to https and to a public address. Throws as above. */
export async function downloadPublicly(url: string, options: PublicFile): Promise<HttpsAnswer> {
  let at = url;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const answer = await getPublicly(at, { ...options, headers: {} });
    if (answer.location === undefined) return answer;
    if (!URL.canParse(answer.location, at)) throw new Error('it redirects to what is no URL');
    at = new URL(answer.location, at).href;
    if (!at.startsWith('https:')) throw new Error('it redirects to a URL without TLS');
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

function askPublicly(method: 'GET' | 'POST', url: string, options: PublicRequest): Promise<HttpsAnswer> {
  const { hostname, host } = new URL(url);
  const bare = hostname.replace(/^\[|\]$/g, '');
  const allowed = options.privateHosts.includes(host) || options.privateHosts.includes(hostname);
  if (!allowed && isIP(bare) !== 0 && isPrivateAddress(bare)) return Promise.reject(new RefusedAddress(host));
  const signal = AbortSignal.timeout(options.timeoutMs);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      headers: {
        ...options.headers,
        ...(method === 'POST' && { 'content-length': Buffer.byteLength(options.body) }),
      },
      signal,
      // Checked where the connection is made: a name cannot have one address at the check and another at the use.
      ...(!allowed && { lookup: publicLookup(host) }),
    });
    outgoing.on('error', (error) =>
      reject(signal.aborted ? new Error(`no answer within ${options.timeoutMs / 1000} s`) : error),
    );
    outgoing.on('response', (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size > options.mostBytes)
          outgoing.destroy(new Error(`its answer is larger than ${options.mostBytes} bytes`));
      });
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const location = [301, 302, 303, 307, 308].includes(status) ? response.headers.location : undefined;
        resolve({ status, location, body: Buffer.concat(pieces) });
      });
      response.on('error', reject);
    });
    outgoing.end(method === 'POST' ? options.body : undefined);
  });
}

const publicLookup =
  (host: string): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, '');
      if (addresses.some(({ address }) => isPrivateAddress(address))) return done(new RefusedAddress(host), '');
      const [first] = addresses;
      if (options.all === true) return done(null, addresses);
      return done(null, first?.address ?? '', first?.family);
    });
  };
