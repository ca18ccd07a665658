/** Which requests come from a page of this server in a browser, and the session that they show. */
import type { IncomingMessage } from 'node:http';
import type { SessionParts } from './sessions.ts';

/** With the key of the session. */
const keyHeader = 'kubeloom-console-key';

/** Cookies know no ports: two platforms of one machine have two names. */
export const cookieName = ({ socket }: IncomingMessage): string => `kubeloom-console-${socket.localPort}`;

export function sessionPartsOf(request: IncomingMessage): SessionParts | undefined {
  const start = `${cookieName(request)}=`;
  const cookie = request.headers.cookie?.split('; ').find((one) => one.startsWith(start));
  const key = request.headers[keyHeader];
  return cookie === undefined || typeof key !== 'string' ? undefined : { cookie: cookie.slice(start.length), key };
}

/** No function has to see what a session is made of. */
export function forget(request: IncomingMessage): void {
  const others = request.headers.cookie?.split('; ').filter((one) => !one.startsWith('kubeloom-console-')) ?? [];
  if (others.length > 0) request.headers.cookie = others.join('; ');
  else delete request.headers.cookie;
  delete request.headers[keyHeader];
}

/**
 * The same place under the only name that the console has, for someone who opens it as `localhost`: that name also leads to [::1], where
 * another user of the machine may listen, who would be the same origin. Undefined for any other request.
 */
export function placeUnderOwnName({ method, headers, url = '' }: IncomingMessage): string | undefined {
  const named = /^localhost(:\d{1,5})?$/.exec(headers.host ?? '');
  if (!named || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return `http://127.0.0.1${named[1] ?? ''}${url}`;
}

/**
 * Why a request did not come from a page of this platform; undefined when it did. A name of someone else that leads to 127.0.0.1 (DNS
 * rebinding) is in `Host`; another site or port that a browser is on is in `Origin` or `Sec-Fetch-Site`.
 */
export function foreignness({ headers }: IncomingMessage): string | undefined {
  const { host = '', origin } = headers;
  if (!/^127\.0\.0\.1(:\d{1,5})?$/.test(host)) return 'the console is at 127.0.0.1, and under no other name';
  if (origin !== undefined && origin !== `http://${host}`) return 'this request comes from another site';
  const site = headers['sec-fetch-site'];
  // A person who opens a bookmark comes from nowhere; a link on another site may lead to the page, but to nothing else.
  const opens = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && !opens) return 'this request comes from another site';
  return undefined;
}
