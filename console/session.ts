/**
 * The session of this browser. The token of the platform is never here: the server keeps it. The cookie of the session is hidden from
 * scripts; the key that goes with it opens nothing without that cookie, and all tabs of this origin share it.
 */

const place = 'kubeloom-console-key';

export function sessionKey(): string | undefined {
  return localStorage.getItem(place) ?? undefined;
}

/** The one-time code that the address bar brought, which is removed from there. */
export function takeCode(): string | undefined {
  const [, code] = /^#sign-in=([\w-]{20,100})$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, '', `${location.pathname}#/`);
  return code;
}

/** Throws with the reason, as a sentence. */
export async function signIn(code: string): Promise<void> {
  const response = await fetch('/console/session', { method: 'POST', body: code });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(textOf(answer, 'detail') ?? `the answer was HTTP ${response.status}`);
  localStorage.setItem(place, textOf(answer, 'key') ?? '');
}

export async function signOut(): Promise<void> {
  const headers = { 'kubeloom-console-key': sessionKey() ?? '' };
  await fetch('/console/session', { method: 'DELETE', headers }).catch(() => undefined);
  localStorage.removeItem(place);
}

function textOf(answer: unknown, name: string): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(answer, name)?.value;
  return typeof value === 'string' ? value : undefined;
}
