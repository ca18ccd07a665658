/** Who is signed in to the console: one-time codes, and the sessions that they open. None of it is stored; all of it ends with the process. */
import { createHash, randomBytes } from 'node:crypto';

/** A code is for the moment in which a browser opens. */
export const codeSeconds = 120;
export const sessionHours = 12;
/** More of either are given only in place of the oldest. */
const most = 200;

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
  /** Undefined for a code that is not known, was used or is too old. */
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
  const keep = (map: Map<string, Held>, name: string, held: Held): void => {
    for (const [each, { until }] of map) if (until <= now()) map.delete(each);
    while (map.size >= most) for (const [oldest] of [...map].slice(0, 1)) map.delete(oldest);
    map.set(name, held);
  };
  const found = (map: Map<string, Held>, name: string): Held | undefined => {
    const held = map.get(name);
    return held && held.until > now() ? held : undefined;
  };
  return {
    codeFor(token) {
      const code = secret();
      keep(codes, digest(code), { token, until: now() + codeSeconds * 1000 });
      return code;
    },
    open(code) {
      const held = found(codes, digest(code));
      codes.delete(digest(code));
      if (!held) return undefined;
      const parts = { cookie: secret(), key: secret() };
      keep(sessions, nameOf(parts), { token: held.token, until: now() + sessionHours * 3_600_000 });
      return parts;
    },
    tokenOf: (parts) => found(sessions, nameOf(parts))?.token,
    close(parts) {
      sessions.delete(nameOf(parts));
    },
  };
}

const secret = (): string => randomBytes(32).toString('base64url');

/** Found by digest: how long a search takes says nothing about the secret. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const nameOf = ({ cookie, key }: SessionParts): string => digest(`${digest(cookie)} ${digest(key)}`);
