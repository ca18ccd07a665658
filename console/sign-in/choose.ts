/** The way in that the installation has, by the settings next to the page. */
import type { ConsoleSettings } from '#contracts/console-page.ts';
import { codeSession } from './code-session.ts';
import { errorText, type WayIn } from './way-in.ts';

export async function chosenWayIn(): Promise<WayIn> {
  try {
    const response = await fetch('/console/console.json', { cache: 'no-store' });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const settings = (await response.json()) as ConsoleSettings;
    if (settings.signIn === 'session') return codeSession(settings.context);
    const { oidcSignIn } = await import('./oidc.ts');
    return oidcSignIn(settings);
  } catch (error) {
    return without(`how to sign in could not be found out (console.json: ${errorText(error)}): load the page again`);
  }
}

function without(reason: string): WayIn {
  const begin = async () => ({ kind: 'refused', reason }) as const;
  return { begin, headers: async () => ({}), refused: () => reason, signOut: async () => location.reload() };
}
