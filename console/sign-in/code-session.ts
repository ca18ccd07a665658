/**
 * A session that a one-time code opens. The token of the platform is never here: the server keeps it. The cookie of the session is hidden
 * from scripts; the key that goes with it opens nothing without that cookie, and all tabs of this origin share it.
 */
import { reloadPage } from '../drafts.ts';
import { keep, kept } from '../storage.ts';
import { errorText, fieldText, type SignInStart, type WayIn } from './way-in.ts';

const place = 'kubeloom-console-key';
/** In the storage of this tab: the place where it was when the address was pasted into it. */
const before = 'kubeloom-console-place';
const brought = /^#sign-in=([\w-]{20,100})$/;

export function codeSession(context?: string): WayIn {
  return {
    context,
    async begin() {
      // Pasted into an open tab, the address changes only what is behind its `#`.
      window.addEventListener('hashchange', ({ oldURL }) => {
        if (!brought.test(location.hash)) return;
        const { hash } = new URL(oldURL);
        if (!brought.test(hash)) sessionStorage.setItem(before, hash);
        reloadPage();
      });
      // Another tab signed in as someone else, or out: what this one shows is no longer theirs.
      window.addEventListener('storage', ({ key }) => key === place && reloadPage());
      const [, code] = brought.exec(location.hash) ?? [];
      if (code === undefined) return { kind: 'open' };
      history.replaceState(null, '', `${location.pathname}${sessionStorage.getItem(before) || '#/'}`);
      sessionStorage.removeItem(before);
      return signIn(code).catch((error: unknown) => ({ kind: 'refused', reason: errorText(error) }));
    },
    headers: async () => keyHeader(),
    async signOut() {
      await fetch('/console/session', { method: 'DELETE', headers: keyHeader() }).catch(() => undefined);
      keep(place, undefined);
      reloadPage();
    },
  };
}

const keyHeader = () => ({ 'kubeloom-console-key': kept(place) ?? '' });

/** Throws with the reason, as a sentence. */
async function signIn(code: string, replaces = false): Promise<SignInStart> {
  const headers = { ...keyHeader(), ...(replaces && { 'kubeloom-console-replace': 'yes' }) };
  const response = await fetch('/console/session', { method: 'POST', body: code, headers });
  const answer: unknown = await response.json();
  if (response.status === 409) {
    const replace = async (): Promise<void> => {
      await signIn(code, true);
      reloadPage();
    };
    return { kind: 'asks', replace };
  }
  if (!response.ok) throw new Error(fieldText(answer, 'detail') ?? `the answer was HTTP ${response.status}`);
  keep(place, fieldText(answer, 'key') ?? '');
  return { kind: 'open' };
}
