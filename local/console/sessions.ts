/** Who is signed in to the console: one-time codes, and the sessions that they open. None of it is stored; all of it ends with the process. */
import { createHash, randomBytes } from 'node:crypto';

/** A code is for the moment in which a browser opens. */
export const codeSeconds = 120;
export const sessionHours = 12;
/** Codes, and sessions, of one token; more are given only in place of its oldest: no one pushes out others. */
export const mostOfToken = 20;

/** What the browser has of a session: neither part opens anything without the other. */
export interface SessionParts {
  /** In a cookie that no script can read; the browser also sends it to other ports of this address. */
  readonly cookie: string;
  /** Known to pages of this origin alone: other ports of this address, and other sites, cannot send it. */
  readonly key: string;
}

export interface Sessions {
  /** For the bearer of `token`: opens one session, once. */
  codeFor(token: string): string;
  /** Whom the code signs in; it stays usable. Undefined for a code that is not known, was used or is too old. */
  tokenOfCode(code: string): string | undefined;
  /** Undefined as above; the code is used from now on. */
  open(code: string): SessionParts | undefined;
  /** Undefined when the two are no session. */
  tokenOf(parts: SessionParts): string | undefined;
  close(parts: SessionParts): void;
}

interface Held {
  readonly token: string;
  readonly until: number;
}

/** `now` in ms. */
export function consoleSessions(now: () => number = Date.now): Sessions {
  const codes = new Map<string, Held>();
  const sessions = new Map<string, Held>();
  // Each holds a token: none is kept longer than it can be used.
  const current = (map: Map<string, Held>): Map<string, Held> => {
    for (const [each, { until }] of map) if (until <= now()) map.delete(each);
    return map;
  };
  const keep = (map: Map<string, Held>, name: string, held: Held): void => {
    const own = [...current(map)].filter(([, { token }]) => token === held.token);
    for (const [oldest] of own.slice(0, Math.max(0, own.length - mostOfToken + 1))) map.delete(oldest);
    map.set(name, held);
  };
  return {
    codeFor(token) {
      const code = secret();
      keep(codes, digest(code), { token, until: now() + codeSeconds * 1000 });
      return code;
    },
    tokenOfCode: (code) => current(codes).get(digest(code))?.token,
    open(code) {
      const held = current(codes).get(digest(code));
      codes.delete(digest(code));
      if (!held) return undefined;
      const parts = { cookie: secret(), key: secret() };
      keep(sessions, nameOf(parts), { token: held.token, until: now() + sessionHours * 3_600_000 });
      return parts;
    },
    tokenOf: (parts) => current(sessions).get(nameOf(parts))?.token,
    close(parts) {
      sessions.delete(nameOf(parts));
    },
  };
}

const secret = (): string => randomBytes(32).toString('base64url');

/** Found by digest: how long a search takes says nothing about the secret. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const nameOf = ({ cookie, key }: SessionParts): string => digest(`${digest(cookie)} ${digest(key)}`);
